import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { beginningOf, readJsonWithBeginning } = await load('api/json-beginning.ts');
const LIST = '"segments":[';

const beginning = (text, characters) => JSON.parse(beginningOf(text, { list: LIST, characters }));

test('the beginning ends after the last complete entry', () => {
  const text = '{"transcript":{"text":"a b c","segments":[{"id":0},{"id":1},{"id":2}],"utterances":[]},"topics":{}}';
  assert.deepEqual(beginning(text, 20), { transcript: { text: 'a b c', segments: [{ id: 0 }, { id: 1 }] } });
});

test('an entry that is cut is left out as a whole', () => {
  const text = '{"segments":[{"words":[],"text":"one"},{"words":[{"word":"two"}],"text":"two"}]}';
  assert.deepEqual(beginning(text, 55), { segments: [{ words: [], text: 'one' }] });
});

test('what follows the list is left out', () => {
  const text = '{"segments":[{"id":0}],"utterances":[{"id":1},{"id":2}]}';
  assert.deepEqual(beginning(text, 40), { segments: [{ id: 0 }] });
});

test('there is no beginning before enough of the list has arrived', () => {
  const text = '{"text":"a b c","segments":[{"id":0}';
  assert.notEqual(beginningOf(text, { list: LIST, characters: 8 }), null);
  assert.equal(beginningOf(text, { list: LIST, characters: 9 }), null);
  assert.equal(beginningOf('{"text":"a long text without the list"}', { list: LIST, characters: 1 }), null);
});

test('an entry that is larger than the beginning gives an empty list', () => {
  assert.deepEqual(beginning('{"segments":[{"text":"a long text"}]}', 10), { segments: [] });
});

test('every cut gives a document with complete entries', () => {
  const texts = ['"}],', '\\', '\\"', '[{', 'ü€😀', '"segments":[', '\n\u0001'];
  const segments = texts.map((text, id) => ({ id, text, words: [{ text }] }));
  const document = { text: texts.join(' '), segments, tasks: { last: ['}'] } };
  // Other programs write characters outside of ASCII as escapes.
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const escaped = JSON.stringify(document).replace(/[\u0080-\uffff]/g, escape);
  for (const text of [JSON.stringify(document), escaped]) {
    const start = text.indexOf(LIST) + LIST.length;
    for (let characters = 0; start + characters <= text.length; characters++) {
      const found = beginning(text, characters);
      assert.deepEqual(found, { text: document.text, segments: segments.slice(0, found.segments.length) });
    }
    assert.deepEqual(beginning(text, text.length - start).segments, segments);
  }
});

// A response whose body arrives in parts of this many bytes.
function inParts(text, size) {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, sent + size));
      sent += size;
    },
  });
  return new Response(body);
}

test('characters that are divided between two parts are read correctly', async () => {
  const document = { text: 'ü€😀', segments: Array.from({ length: 20 }, (_, id) => ({ id, text: 'ü€😀' })) };
  for (let size = 1; size < 8; size++) {
    const beginnings = [];
    const whole = await readJsonWithBeginning(
      inParts(JSON.stringify(document), size),
      { list: LIST, characters: 100 },
      async (found) => void beginnings.push(found),
    );
    assert.deepEqual(whole, document);
    assert.deepEqual(beginnings, [{ text: document.text, segments: document.segments.slice(0, 4) }]);
  }
});

test('a short answer has no beginning', async () => {
  const never = () => assert.fail('a beginning was handed over');
  const answer = inParts('{"segments":[{"id":0}]}', 5);
  const whole = await readJsonWithBeginning(answer, { list: LIST, characters: 100 }, never);
  assert.deepEqual(whole, { segments: [{ id: 0 }] });
});

test('an answer that breaks off fails after its beginning was handed over', async () => {
  let sent = false;
  const body = new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new TypeError('network error'));
      sent = true;
      controller.enqueue(new TextEncoder().encode('{"segments":[{"id":0},{"id":1'));
    },
  });
  const beginnings = [];
  const keep = async (found) => void beginnings.push(found);
  const reading = readJsonWithBeginning(new Response(body), { list: LIST, characters: 10 }, keep);
  await assert.rejects(reading, { code: 'connection_error' });
  assert.deepEqual(beginnings, [{ segments: [{ id: 0 }] }]);
});
