// Calls the service with the official `openai` package for Node and prints the results as JSON.
//
// Usage: NODE_PATH=…/node_modules node openai_client.cjs BASE_URL API_KEY MODEL RECORDING
const fs = require("node:fs");
const OpenAI = require("openai");

const [baseURL, apiKey, model, recording] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const stranger = new OpenAI({ baseURL, apiKey: "sk-" + "0".repeat(48), maxRetries: 0 });

const transcribe = (changes = {}, caller = client) =>
  caller.audio.transcriptions.create({ file: fs.createReadStream(recording), model, ...changes });

async function streamed() {
  const events = [];
  for await (const event of await transcribe({ stream: true })) events.push(event);
  const of = (type) => events.filter((event) => event.type === type);
  return {
    deltas: of("transcript.text.delta").map((event) => event.delta).join(""),
    segments: of("transcript.text.segment").length,
    done: of("transcript.text.done").map((event) => event.text),
  };
}

async function refusal(call) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    return { exception: error.constructor.name, status: error.status, code: error.code, param: error.param };
  }
  return { exception: null };
}

async function main() {
  const answer = await transcribe();
  const models = [];
  for await (const listed of client.models.list()) models.push(listed.id);
  return {
    json: answer.text,
    seconds: answer.usage.seconds,
    text: await transcribe({ response_format: "text" }),
    streamed: await streamed(),
    models,
    wrong_key: await refusal(() => transcribe({}, stranger)),
    missing_file: await refusal(() => transcribe({ file: undefined })),
    unknown_model: await refusal(() => transcribe({ model: "no-such-model" })),
  };
}

main().then((report) => console.log(JSON.stringify(report)));
