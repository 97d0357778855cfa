// Shows /openapi.json, or with `?document=console` /openapi/console.json, as a page: operations by tag, schemas, errors, events and curl samples. No dependencies.
'use strict';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
let spec = {};

// --- Elements -----------------------------------------------------------------------------------------------------

/** Makes an element; strings become text nodes, so nothing of the contract is ever read as markup. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const code = (text) => el('code', null, text);

/** `code` and **bold** inside a line of text. */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter(Boolean).map((part) => {
    if (part.startsWith('`')) return code(part.slice(1, -1));
    if (part.startsWith('**')) return el('strong', null, part.slice(2, -2));
    return part;
  });
}

/** Paragraphs and flat lists: all the Markdown that the contract uses. */
function prose(text) {
  if (!text) return [];
  return text.trim().split(/\n\s*\n/).map((block) => {
    if (!block.startsWith('- ')) return el('p', null, inline(block.replace(/\n\s*/g, ' ')));
    const items = block.split(/\n(?=- )/).map((item) => item.slice(2).replace(/\n\s*/g, ' '));
    return el('ul', null, items.map((item) => el('li', null, inline(item))));
  });
}

// --- References ---------------------------------------------------------------------------------------------------

const refName = (node) => (node && node.$ref ? node.$ref.split('/').pop() : null);

/** Follows references; fields beside a $ref win over those behind it. */
function resolve(node) {
  if (!node || !node.$ref) return node;
  const path = node.$ref.slice(2).split('/').map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  const target = resolve(path.reduce((found, key) => found[key], spec));
  const { $ref, ...beside } = node;
  return { ...target, ...beside };
}

/** Takes `anyOf: [X, null]` apart into X and "may be null". */
function nullable(schema) {
  const options = schema.anyOf || schema.oneOf;
  if (!options || !options.some((option) => option.type === 'null')) return { schema, orNull: false };
  const rest = options.filter((option) => option.type !== 'null');
  const { anyOf, oneOf, ...beside } = schema;
  return { schema: rest.length === 1 ? { ...rest[0], ...beside } : { ...beside, anyOf: rest }, orNull: true };
}

// --- Schemas ------------------------------------------------------------------------------------------------------

const schemaLink = (name) => el('a', { href: `#schema-${name}`, class: 'ref' }, name);

function joined(parts, separator) {
  return parts.flatMap((part, index) => (index ? [separator, part] : [part]));
}

/** The type as a reader says it: `string or null`, `array of Task`. */
function typeOf(raw) {
  const { schema, orNull } = nullable(raw);
  const name = refName(schema);
  const options = schema.anyOf || schema.oneOf;
  let parts;
  if (name) parts = [schemaLink(name)];
  else if (options) parts = joined(options.map((option) => el('span', null, typeOf(option))), ' or ');
  else if (schema.type === 'array') parts = ['array of ', ...typeOf(schema.items || {})];
  else if (schema.format === 'binary') parts = ['bytes'];
  else if (Array.isArray(schema.type)) parts = [schema.type.join(' or ')];
  else parts = [schema.type || 'any'];
  return orNull ? [...parts, ' or null'] : parts;
}

function range(least, most, unit) {
  if (least === undefined && most === undefined) return null;
  const number = (value) => (value > 9e15 ? '2⁵³ − 1' : value.toLocaleString('en'));
  const suffix = unit ? ` ${unit}` : '';
  if (least === undefined) return `at most ${number(most)}${suffix}`;
  if (most === undefined) return `at least ${number(least)}${suffix}`;
  return `${number(least)} to ${number(most)}${suffix}`;
}

/** The limits of a value, each a chip. */
function limits(schema) {
  const texts = [
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'items'),
    range(schema.minProperties, schema.maxProperties, 'entries'),
    schema.format && schema.format !== 'binary' ? schema.format : null,
    schema['x-max-bytes'] ? range(undefined, schema['x-max-bytes'], 'bytes') : null,
    schema['x-max-bytes-async'] ? `async: ${range(undefined, schema['x-max-bytes-async'], 'bytes')}` : null,
  ].filter(Boolean);
  const chips = texts.map((text) => el('span', { class: 'chip' }, text));
  if (schema.pattern) chips.push(el('span', { class: 'chip pattern' }, schema.pattern));
  if (schema.default !== undefined && schema.default !== null) {
    chips.push(el('span', { class: 'chip' }, `default ${JSON.stringify(schema.default)}`));
  }
  return chips;
}

function values(schema) {
  const list = schema.const !== undefined ? [schema.const] : schema.enum;
  if (!list) return null;
  const shown = list.map((value) => el('code', { class: 'value' }, typeof value === 'string' ? value : JSON.stringify(value)));
  const label = schema.const !== undefined ? 'always ' : 'one of ';
  if (list.length <= 12) return el('div', { class: 'values' }, label, joined(shown, ' '));
  return el('details', { class: 'values' }, el('summary', null, `one of ${list.length} values`), joined(shown, ' '));
}

const isObject = (schema) => Boolean(schema.properties || (schema.additionalProperties && schema.additionalProperties.$ref));

/** What stands inside a value and can be opened: the fields of an object, or of the items of an array. */
function inside(raw) {
  let { schema } = nullable(raw);
  schema = resolve(schema);
  if (schema.type === 'array' && schema.items) schema = resolve(schema.items);
  const options = (schema.oneOf || schema.anyOf || []).map((option) => ({ name: refName(option), schema: resolve(option) }));
  if (options.length && options.every((option) => isObject(option.schema))) return { options };
  return isObject(schema) ? { schema } : null;
}

/** A part that is built only when it is opened: schemas can nest without end. */
function lazy(label, build) {
  const box = el('details', { class: 'nested' }, el('summary', null, label));
  box.addEventListener('toggle', () => { if (box.open && box.childElementCount === 1) box.append(build()); });
  return box;
}

function nested(raw) {
  const content = inside(raw);
  if (!content) return null;
  if (content.options) return content.options.map(({ name, schema }) => lazy(name, () => fields(schema)));
  return lazy('fields', () => fields(content.schema));
}

function field(name, raw, required) {
  const schema = resolve(nullable(raw).schema);
  const item = schema.type === 'array' && schema.items ? resolve(schema.items) : null;
  const itemLimits = item && !isObject(item) ? limits(item).map((chip) => { chip.prepend('each: '); return chip; }) : [];
  return el('div', { class: 'field' },
    el('div', { class: 'head' },
      el('code', { class: 'name' }, name), el('span', { class: 'type' }, typeOf(raw)),
      required ? el('span', { class: 'required' }, 'required') : null, limits(schema), itemLimits),
    el('div', { class: 'text' }, prose(raw.description || schema.description), values(schema), item ? values(item) : null),
    nested(raw));
}

function fields(schema) {
  const required = new Set(schema.required || []);
  const rows = Object.entries(schema.properties || {}).map(([name, value]) => field(name, value, required.has(name)));
  const extra = schema.additionalProperties;
  if (extra && typeof extra === 'object') rows.push(field('any name', extra, false));
  return el('div', { class: 'fields' }, rows);
}

// --- Code ---------------------------------------------------------------------------------------------------------

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g;

function highlighted(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(end, match.index));
    const [all, string, colon, word] = match;
    if (string) parts.push(el('span', { class: colon ? 'key' : 'string' }, string), colon || '');
    else parts.push(el('span', { class: word ? 'word' : 'number' }, all));
    end = match.index + all.length;
  }
  return [...parts, text.slice(end)];
}

function copyButton(current) {
  const button = el('button', { class: 'copy', type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(current());
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  return button;
}

/** A panel of code with a tab for each sample: {title, text, plain}. */
function panel(label, samples) {
  if (!samples.length) return null;
  let shown = samples[0];
  const block = el('pre', { tabindex: '0' });
  const tabs = samples.map((sample) => el('button', { type: 'button', role: 'tab', onclick: () => show(sample) }, sample.title));
  function show(sample) {
    shown = sample;
    tabs.forEach((tab, index) => tab.setAttribute('aria-selected', String(samples[index] === sample)));
    block.replaceChildren(el('code', null, sample.plain ? sample.text : highlighted(sample.text)));
  }
  show(shown);
  const bar = el('div', { class: 'tabs' }, el('span', null, label), el('div', { role: 'tablist' }, tabs), copyButton(() => shown.text));
  return el('div', { class: 'panel' }, bar, block);
}

const asJson = (value) => JSON.stringify(value, null, 2);
const quoted = (text) => `'${text.replace(/'/g, `'\\''`)}'`;

// --- curl ---------------------------------------------------------------------------------------------------------

const exampleOf = (name) => (spec.components.examples[name] || {}).value;

function parameterExample(parameter) {
  const first = Object.values(parameter.examples || {})[0];
  return first ? resolve(first).value : exampleOf(refName(parameter.schema));
}

/** The bodies that a sample can send: {title, form} or {title, body}. */
function requestSamples(operation) {
  const content = (resolve(operation.requestBody) || {}).content || {};
  const form = content['multipart/form-data'];
  if (form) return Object.entries(form['x-samples'] || {}).map(([title, parts]) => ({ title, form: parts }));
  const json = content['application/json'];
  if (json) return Object.entries(json.examples || {}).map(([title, example]) => ({ title, body: resolve(example).value }));
  return [{ title: 'curl' }];
}

function curl(method, path, operation, sample) {
  const parameters = (operation.parameters || []).map(resolve);
  const filled = path.replace(/\{(\w+)\}/g, (all, name) => parameterExample(parameters.find((one) => one.name === name)) || all);
  const responses = operation.responses;
  const streams = (sample.form || {}).stream || (responses['200'] && Object.keys(resolve(responses['200']).content || {}).join() === 'text/event-stream');
  const flags = [streams ? ' -N' : '', responses['302'] ? ' -L -o artifact' : '', method === 'get' || sample.form || sample.body ? '' : ` -X ${method.toUpperCase()}`];
  const lines = [`curl${flags.join('')} "${location.origin}${filled}"`, '-H "Authorization: Bearer $AURIS_API_KEY"'];
  for (const one of parameters.filter((parameter) => parameter.in === 'header' && parameter.required)) {
    lines.push(`-H ${quoted(`${one.name}: ${parameterExample(one)}`)}`);
  }
  for (const [name, value] of Object.entries(sample.form || {})) lines.push(`-F ${/\s/.test(value) ? quoted(`${name}=${value}`) : `${name}=${value}`}`);
  if (sample.body) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(asJson(sample.body))}`);
  return { title: sample.title, text: lines.join(' \\\n  ') };
}

function responseSamples(operation) {
  const samples = [];
  for (const [status, raw] of Object.entries(operation.responses).filter(([status]) => status < '400')) {
    for (const [type, media] of Object.entries(resolve(raw).content || {})) {
      const example = Object.values(media.examples || {})[0];
      const title = `${status} ${type.split('/').pop()}`;
      if (media['x-sample']) samples.push({ title, text: media['x-sample'].trimEnd() });
      else if (example) {
        const value = resolve(example).value;
        samples.push({ title, text: typeof value === 'string' ? value : asJson(value), plain: typeof value === 'string' });
      }
    }
  }
  return samples;
}

// --- Operations ---------------------------------------------------------------------------------------------------

const badge = (method) => el('span', { class: `method ${method}` }, method.toUpperCase());
const heading = (level, id, ...children) => el(level, null, children, ' ', el('a', { class: 'anchor', href: `#${id}`, 'aria-label': 'Link to this place' }, '#'));

function parameterList(operation) {
  const groups = { path: 'Path', query: 'Query', header: 'Headers' };
  const parameters = (operation.parameters || []).map(resolve);
  return Object.entries(groups).map(([place, title]) => {
    const rows = parameters.filter((parameter) => parameter.in === place);
    if (!rows.length) return null;
    const list = rows.map((one) => field(one.name, { ...one.schema, description: one.description }, one.required));
    return [el('h4', null, title), el('div', { class: 'fields' }, list)];
  });
}

function requestBody(operation) {
  const content = Object.entries((resolve(operation.requestBody) || {}).content || {});
  return content.map(([type, media]) => [
    el('h4', null, 'Body ', el('small', null, type, ' · ', schemaLink(refName(media.schema)))),
    prose(resolve(media.schema).description), fields(resolve(media.schema)),
  ]);
}

function mediaRow([type, media]) {
  const events = Object.entries(media['x-events'] || {});
  return [
    el('div', { class: 'media' }, code(type), ' ', el('span', { class: 'type' }, typeOf(media.schema))),
    events.length ? el('ul', { class: 'events' }, events.map(([name, schema]) => el('li', null, code(name), ' ', schemaLink(refName(schema))))) : null,
  ];
}

function responseRow([status, raw]) {
  const response = resolve(raw);
  const headers = Object.entries(response.headers || {}).map(([name, header]) => {
    const found = resolve(header);
    return field(name, { ...found.schema, description: found.description }, found.required);
  });
  return el('div', { class: 'response' },
    el('span', { class: 'status' }, status),
    el('div', null, prose(response.description), Object.entries(response.content || {}).map(mediaRow),
      headers.length ? lazy('headers', () => el('div', { class: 'fields' }, headers)) : null));
}

function responseList(operation) {
  const rows = Object.entries(operation.responses);
  const errors = rows.filter(([status]) => /^[45]\d\d$/.test(status) && resolve(operation.responses[status])['x-error-codes']);
  // An object's numeric keys come first, so a `2XX` would stand after a `410`.
  const others = rows.filter((row) => !errors.includes(row)).sort(([one], [other]) => one.localeCompare(other));
  return [
    el('h4', null, 'Responses'), others.map(responseRow),
    errors.length ? el('p', { class: 'also' }, 'Errors: ', joined(errors.map(([status]) => el('a', { href: `#error-${status}` }, status)), ' · ')) : null,
  ];
}

function operationSection({ method, path, operation, incoming }) {
  const id = operation.operationId;
  const body = ((resolve(operation.requestBody) || {}).content || {})['application/json'];
  const requests = incoming
    ? Object.entries(body.examples).map(([title, example]) => ({ title, text: asJson(resolve(example).value) }))
    : requestSamples(operation).map((sample) => curl(method, path, operation, sample));
  return el('section', { id, class: 'operation' },
    el('div', { class: 'words' },
      heading('h3', id, operation.summary),
      el('div', { class: 'route' }, badge(method), code(incoming ? 'your address' : path),
        operation['x-required-scope'] ? el('span', { class: 'scope' }, `scope ${operation['x-required-scope']}`) : null),
      prose(operation.description), parameterList(operation), requestBody(operation), responseList(operation)),
    el('div', { class: 'samples' },
      panel(incoming ? 'Delivery' : 'Request', requests), incoming ? null : panel('Response', responseSamples(operation))));
}

function operations(paths, incoming) {
  return Object.entries(paths || {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ method, path, operation: item[method], incoming })));
}

// --- The page -----------------------------------------------------------------------------------------------------

function overview() {
  return el('section', { id: 'overview', class: 'operation' },
    el('div', { class: 'words' }, el('h1', null, spec.info.title, ' ', el('small', null, spec.info.summary)), prose(spec.info.description)),
    el('div', { class: 'samples' }, panel('First call', [
      { title: 'curl', text: `export AURIS_API_KEY="$(auris keys create)"\n\ncurl "${location.origin}/v1/audio/transcriptions" \\\n  -H "Authorization: Bearer $AURIS_API_KEY" \\\n  -F file=@call.mp3 \\\n  -F model=auto` },
      { title: 'Python', text: `from openai import OpenAI\n\nclient = OpenAI(base_url="${location.origin}/v1", api_key="sk-…")\n\nwith open("call.mp3", "rb") as file:\n    answer = client.audio.transcriptions.create(\n        file=file, model="auto")\nprint(answer.text)` },
    ])));
}

function group(title, id, description, sections) {
  return el('div', { class: 'group' }, el('header', { id }, heading('h2', id, title), prose(description)), sections);
}

function errorTable() {
  const rows = Object.entries(operations(spec.paths)[0].operation.responses).filter(([status]) => status >= '400').map(([status, raw]) => {
    const response = resolve(raw);
    const codes = Object.entries(response['x-error-codes'] || {}).map(([type, list]) =>
      el('div', { class: 'codes' }, el('strong', null, code(type)), ' ', joined(list.map((name) => el('code', { class: 'value' }, name)), ' ')));
    return el('div', { class: 'response', id: `error-${status}` }, el('span', { class: 'status bad' }, status), el('div', null, prose(response.description), codes));
  });
  const text = 'Every 4xx and 5xx has this body. `param` is the path of the offending field; `message` says what was wrong, what was expected and, where there is one, the way out.';
  return el('section', { id: 'error-codes', class: 'operation' },
    el('div', { class: 'words' }, prose(text), rows),
    el('div', { class: 'samples' }, panel('Error', [{ title: '400', text: asJson(exampleOf('Error')) }])));
}

function schemaSection([name, schema]) {
  const id = `schema-${name}`;
  const data = Object.entries(schema['x-event-data'] || {}).map(([type, one]) => el('li', null, code(type), ' ', schemaLink(refName(one))));
  const content = schema.properties ? fields(schema)
    : el('div', { class: 'head' }, el('span', { class: 'type' }, typeOf(schema)), limits(schema), values(schema));
  return el('section', { id, class: 'operation schema' },
    el('div', { class: 'words' }, heading('h3', id, name), prose(schema.description), content,
      data.length ? [el('h4', null, 'Data by type'), el('ul', { class: 'events' }, data)] : null),
    el('div', { class: 'samples' }, panel('Example', [{ title: 'JSON', text: asJson(exampleOf(name)) }])));
}

function link(id, words, ...children) {
  return el('a', { href: `#${id}`, 'data-words': words.toLowerCase() }, children);
}

function indexGroup(title, id, links) {
  return el('div', { class: 'links' }, el('a', { class: 'title', href: `#${id}` }, title), links);
}

const operationLink = ({ method, path, operation }) =>
  link(operation.operationId, `${operation.summary} ${path} ${method} ${operation.operationId}`, el('span', null, operation.summary), badge(method));

function render() {
  const groups = spec.tags.map((tag) => ({
    title: tag.name, id: `tag-${tag.name.toLowerCase().replace(/\W+/g, '-')}`, description: tag.description,
    list: operations(spec.paths).filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const deliveries = operations(spec.webhooks, true);
  groups.push({ title: 'Deliveries', id: 'deliveries', list: deliveries, description: 'What the service sends to your webhook endpoints and to a job\'s `webhook_url`, signed as Standard Webhooks describe it.' });
  const schemas = Object.entries(spec.components.schemas);
  document.title = `${spec.info.title} API`;
  document.getElementById('version').textContent = spec.info.version;
  document.getElementById('content').replaceChildren(overview(),
    ...groups.map((one) => group(one.title, one.id, one.description, one.list.map(operationSection))),
    group('Errors', 'errors', null, [errorTable()]), group('Schemas', 'schemas', null, schemas.map(schemaSection)));
  document.getElementById('index').replaceChildren(
    ...groups.map((one) => indexGroup(one.title, one.id, one.list.map(operationLink))),
    indexGroup('Errors', 'errors', [link('error-codes', 'errors codes status', 'Codes and statuses')]),
    indexGroup('Schemas', 'schemas', schemas.map(([name]) => link(`schema-${name}`, name, name))));
}

// --- Behaviour ----------------------------------------------------------------------------------------------------

function mark(link, marked) {
  if (!link) return;
  if (!marked) return link.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'true');
  // Only the sidebar scrolls: scrollIntoView would fight with the reader's own scrolling.
  const sidebar = document.getElementById('sidebar');
  const hidden = link.offsetTop < sidebar.scrollTop + 60 || link.offsetTop > sidebar.scrollTop + sidebar.clientHeight - 80;
  if (hidden) sidebar.scrollTop = link.offsetTop - sidebar.clientHeight / 2;
}

/** Marks in the sidebar the section that stands below the bar. */
function followScroll() {
  const links = new Map([...document.querySelectorAll('#index a[data-words]')].map((one) => [one.hash.slice(1), one]));
  const sections = [...document.querySelectorAll('#content section[id]')];
  const visible = new Set();
  let current = null;
  const observer = new IntersectionObserver((entries) => {
    entries.forEach((entry) => visible[entry.isIntersecting ? 'add' : 'delete'](entry.target));
    const topmost = sections.find((section) => visible.has(section));
    if (!topmost) return;
    mark(current, false);
    current = links.get(topmost.id);
    mark(current, true);
  }, { rootMargin: '-90px 0px -75% 0px' });
  sections.forEach((section) => observer.observe(section));
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  document.querySelectorAll('#index .links').forEach((box) => {
    const links = [...box.querySelectorAll('a[data-words]')];
    links.forEach((one) => { one.hidden = !words.every((word) => one.dataset.words.includes(word)); });
    box.hidden = links.every((one) => one.hidden);
  });
}

function menu(open) {
  document.body.classList.toggle('menu', open);
  document.getElementById('menu').setAttribute('aria-expanded', String(open));
}

function stored(name, value) {
  try { return value === undefined ? localStorage.getItem(name) : localStorage.setItem(name, value); } catch { return null; }
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  stored('theme', root.dataset.theme);
}

function listen() {
  const input = document.getElementById('search');
  input.addEventListener('input', () => search(input.value));
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const first = document.querySelector('#index a[data-words]:not([hidden])');
    if (first) first.click();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); menu(true); input.focus(); }
    if (event.key === 'Escape') menu(false);
  });
  document.getElementById('menu').addEventListener('click', () => menu(!document.body.classList.contains('menu')));
  document.getElementById('index').addEventListener('click', (event) => { if (event.target.closest('a')) menu(false); });
  document.getElementById('content').addEventListener('click', () => menu(false));
  document.getElementById('theme').addEventListener('click', switchTheme);
}

/** The document that the address names: the API, or the console's APIs. The bar links to its text and to the other one. */
function chooseDocument() {
  const isConsole = new URLSearchParams(location.search).get('document') === 'console';
  if (!isConsole) return '/openapi';
  document.title = 'Auris console API';
  const yaml = document.getElementById('yaml');
  yaml.href = '/openapi/console.yaml';
  yaml.textContent = 'console.yaml';
  const other = document.getElementById('other');
  other.href = '/docs';
  other.textContent = 'API';
  return '/openapi/console';
}

async function start() {
  const theme = stored('theme');
  if (theme) document.documentElement.dataset.theme = theme;
  listen();
  try {
    const shown = chooseDocument();
    const response = await fetch(`${shown}.json`);
    if (!response.ok) throw new Error(`${shown}.json answered ${response.status}`);
    spec = await response.json();
    render();
    followScroll();
    // The place that the address names exists only now.
    if (location.hash) { const place = document.getElementById(location.hash.slice(1)); if (place) place.scrollIntoView(); }
  } catch (error) {
    document.getElementById('content').replaceChildren(el('p', { class: 'loading', role: 'alert' }, `The interface could not be shown: ${error.message}`));
  }
}

start();
