// Errors of the API as one type: what went wrong, which field, and what the reader can do next.

export interface ErrorDetail {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, detail: ErrorDetail, headers?: Headers) {
    super(detail.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = detail.code ?? 'unknown';
    this.type = detail.type;
    this.param = detail.param;
    this.requestId = headers?.get('x-request-id') ?? null;
    const retryAfter = Number(headers?.get('retry-after') ?? NaN);
    this.retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : null;
  }

  get notFound(): boolean {
    return this.status === 404;
  }
}

// The server could not be reached, so there is no answer to read.
export function connectionError(): ApiError {
  return new ApiError(0, {
    message: 'The server did not answer.',
    type: 'connection_error',
    param: null,
    code: 'connection_error',
  });
}

// For requests and answers that broke off. A request that the page itself aborted stays an abort.
export function throwConnectionError(error: unknown): never {
  throw isAbort(error) ? error : connectionError();
}

export function errorFromBody(status: number, text: string, headers?: Headers): ApiError {
  const detail = parseDetail(text) ?? {
    message: `The server answered with status ${status} and no further details.`,
    type: 'api_error',
    param: null,
    code: null,
  };
  return new ApiError(status, detail, headers);
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(0, { message, type: 'console_error', param: null, code: 'console_error' });
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

function parseDetail(text: string): ErrorDetail | null {
  try {
    const body = JSON.parse(text) as { error?: Partial<ErrorDetail> };
    if (typeof body.error?.message !== 'string') return null;
    const { message, type = 'api_error', param = null, code = null } = body.error;
    return { message, type, param, code };
  } catch {
    return null;
  }
}
