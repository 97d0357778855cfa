// A receiver written with the published `standardwebhooks` library. It prints one line of JSON for each delivery.
// Usage, in the folder that holds the packages: node receiver.mjs CERTIFICATE KEY SECRET_FILE
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createRequire } from "node:module";

const { Webhook, WebhookVerificationError } = createRequire(`${process.cwd()}/`)("standardwebhooks");
const [certificate, key, secretFile] = process.argv.slice(2);
const OTHER_SECRET = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";

function refused(webhook, body, headers) {
  try {
    webhook.verify(body, headers);
    return false;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return true;
    throw error;
  }
}

function check(body, headers) {
  const webhook = new Webhook(readFileSync(secretFile, "utf8").trim());
  const old = new Date(Date.now() - 6 * 60 * 1000);
  // A valid signature of an old timestamp.
  const replayed = {
    "webhook-id": headers["webhook-id"],
    "webhook-timestamp": String(Math.floor(old.getTime() / 1000)),
    "webhook-signature": webhook.sign(headers["webhook-id"], old, body),
  };
  const changed = `${body[0]}x${body.slice(2)}`;
  let event = null;
  try {
    event = webhook.verify(body, headers);
  } catch (error) {
    console.error(error.message);
  }
  return {
    id: headers["webhook-id"],
    accepted: event !== null,
    event,
    signatures: headers["webhook-signature"].split(" ").length,
    changed_byte_refused: refused(webhook, changed, headers),
    old_timestamp_refused: refused(webhook, body, replayed),
    wrong_secret_refused: refused(new Webhook(OTHER_SECRET), body, headers),
  };
}

const printLine = (report) => process.stdout.write(`${JSON.stringify(report)}\n`);
const options = { cert: readFileSync(certificate), key: readFileSync(key) };
const server = createServer(options, (request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const report = check(Buffer.concat(chunks).toString("utf8"), request.headers);
    printLine(report);
    response.writeHead(report.accepted ? 204 : 400).end();
  });
});
server.listen(0, "127.0.0.1", () => printLine({ port: server.address().port }));
