// Reads server-sent events from a response body, one message at a time.

export interface StreamMessage {
  id: string | null;
  event: string;
  data: string;
}

export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const message = parseBlock(block);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): StreamMessage | null {
  const message: StreamMessage = { id: null, event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'id') message.id = value;
    else if (field === 'event') message.event = value;
    else if (field === 'data') data.push(value);
  }
  message.data = data.join('\n');
  return data.length > 0 ? message : null;
}
