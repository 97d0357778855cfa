// Example receivers that verify the signature of a delivery, without any package besides the language's own.

export interface Receiver {
  language: string;
  file: string;
  run: string;
  code: string;
}

const python = `# A receiver for Auris webhooks. Needs Python 3.9 or later and no packages.
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300


def is_genuine(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    message = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, message, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(self.headers, body):
            self.send_response(400)
            self.end_headers()
            return
        event = json.loads(body)
        # Answer first, then work: put the event into your own queue. The same webhook-id may arrive twice.
        print(self.headers["webhook-id"], event["type"], event["data"].get("id"))
        self.send_response(204)
        self.end_headers()


HTTPServer(("127.0.0.1", 8000), Receiver).serve_forever()
`;

const node = `// A receiver for Auris webhooks. Needs Node 18 or later and no packages.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const toleranceSeconds = 300;

function isGenuine(headers, body) {
  const sentAt = headers['webhook-timestamp'] ?? '';
  const age = Math.abs(Date.now() / 1000 - Number(sentAt));
  if (!/^[0-9]+$/.test(sentAt) || age > toleranceSeconds) return false;
  const hmac = createHmac('sha256', key).update(\`\${headers['webhook-id']}.\${sentAt}.\`).update(body);
  const expected = Buffer.from('v1,' + hmac.digest('base64'));
  const signatures = (headers['webhook-signature'] ?? '').split(' ').map((one) => Buffer.from(one));
  return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (request.method !== 'POST' || !isGenuine(request.headers, body)) return response.writeHead(400).end();
  const event = JSON.parse(body.toString('utf8'));
  // Answer first, then work: put the event into your own queue. The same webhook-id may arrive twice.
  console.log(request.headers['webhook-id'], event.type, event.data.id);
  response.writeHead(204).end();
}).listen(8000, '127.0.0.1');
`;

export const receivers: Receiver[] = [
  { language: 'Python', file: 'receiver.py', run: 'WEBHOOK_SECRET=whsec_… python3 receiver.py', code: python },
  { language: 'Node', file: 'receiver.mjs', run: 'WEBHOOK_SECRET=whsec_… node receiver.mjs', code: node },
];
