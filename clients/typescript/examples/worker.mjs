// Sends notices: `node worker.mjs [http://127.0.0.1:8080]`, with a token in REPRIEVE_TOKEN if the server wants one.

import { setTimeout as sleep } from "node:timers/promises";
import { Client, Fatal, Worker } from "reprieve-client";

async function sendNotice(job) {
  const pages = job.payload?.pages;
  if (!Number.isInteger(pages) || pages < 1) {
    throw new Fatal("the payload of a notice needs `pages`, a whole number from 1");
  }
  for (let page = 1; page <= pages; page += 1) {
    job.signal.throwIfAborted(); // stops here if somebody cancelled the job
    console.log(`${job.subject}: page ${page} of ${pages}`);
    await sleep(1_000, undefined, { signal: job.signal }); // the work
  }
  return { pages }; // kept as the job's result
}

const address = process.argv[2] ?? "http://127.0.0.1:8080";
console.log(`waiting for jobs of the queue mail at ${address}`);
const client = new Client(address, { token: process.env.REPRIEVE_TOKEN });
await new Worker(client, { queue: "mail", handlers: { send_notice: sendNotice }, concurrency: 4 }).run();
