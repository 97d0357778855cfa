// Collects what a page must not do: errors and warnings in the console, failed requests, requests to another host.

export class Watch {
  problems = [];
  #base;
  #refusals = [];
  #failures = [];

  constructor(base) {
    this.#base = base;
  }

  // Announces that the server refuses requests whose path matches, with this status.
  allowRefusal(status, path) {
    this.#refusals.push({ status, path });
  }

  // Announces that requests whose path matches do not get an answer, because the server is down.
  allowFailure(path) {
    this.#failures.push(path);
  }

  follow(page) {
    page.on('console', (message) => this.#console(message));
    page.on('pageerror', (error) => this.#report(page, `error: ${error.stack ?? error.message}`));
    page.on('request', (request) => this.#request(page, request));
    page.on('requestfailed', (request) => this.#failed(page, request));
    page.on('response', (response) => this.#response(page, response));
  }

  #report(page, text) {
    this.problems.push(`${page.url()}: ${text}`);
  }

  // The browser writes a line for each request that fails; the requests themselves are checked below.
  #console(message) {
    if (!['error', 'warning'].includes(message.type())) return;
    if (/^Failed to load resource: /.test(message.text())) return;
    this.#report(message.page(), `console ${message.type()}: ${message.text()}`);
  }

  #request(page, request) {
    const url = request.url();
    if (!url.startsWith(`${this.#base}/`) && !/^(blob|data):/.test(url)) {
      this.#report(page, `request to another host: ${url}`);
    }
  }

  // A page cancels requests that it no longer needs; that is not a failure.
  #failed(page, request) {
    const reason = request.failure()?.errorText ?? 'unknown';
    if (reason === 'net::ERR_ABORTED' || this.#failures.some((path) => path.test(pathOf(request)))) return;
    this.#report(page, `request failed: ${request.method()} ${request.url()}: ${reason}`);
  }

  #response(page, response) {
    const status = response.status();
    if (status < 400) return;
    const request = response.request();
    if (this.#refusals.some((entry) => entry.status === status && entry.path.test(pathOf(request)))) return;
    this.#report(page, `request refused: ${request.method()} ${request.url()}: ${status}`);
  }
}

const pathOf = (request) => new URL(request.url()).pathname;
