import type { Refusal, ReplyBlock } from '../../../support/mockApi';
import { gate, type LiveSession } from '../liveSession';
import { type LiveShapes, shape } from './shape';

const refusal = (status: number, type: string, message = 'from the mock'): Refusal => ({
  status,
  error: { type, message },
});

const BAD = refusal(400, 'invalid_request_error');
const TOO_LONG = refusal(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
const LIMITED = refusal(429, 'rate_limit_error');
const BROKEN = refusal(500, 'api_error');
const OVERLOADED = refusal(529, 'overloaded_error');

const API_ERROR = '"isApiErrorMessage":true';

/** A turn whose reply breaks off when the client has read so many blocks, and another one. */
async function cutShort(live: LiveSession, content: readonly ReplyBlock[], blocks: number): Promise<void> {
  const client = live.start();
  const held = gate();
  live.model.script({ content, cutAfter: blocks, until: held.opened });
  const over = client.result();
  client.post();
  await client.replied(blocks);
  held.open();
  await over;
  await client.settled();
  await client.prompt();
  await client.close();
}

/** Errors of the API and of the connection. */
export const ERROR_SHAPES: LiveShapes = {
  'a refused request between two turns': shape([API_ERROR], async (live) => {
    const client = live.start();
    await client.prompt();
    live.model.refuse(BAD);
    await client.prompt();
    live.model.refuse(null);
    await client.prompt();
    await client.close();
  }),
  'refused requests at the end': shape([API_ERROR], async (live) => {
    const client = live.start();
    await client.prompt();
    live.model.refuse(BAD);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a refused first request': shape([API_ERROR], async (live) => {
    const client = live.start();
    live.model.refuse(BAD);
    await client.prompt();
    live.model.refuse(null);
    await client.prompt();
    await client.close();
  }),
  'a refused request after calls': shape([API_ERROR], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.say(), model.bash(), model.bash()]);
    model.refuse(BAD);
    await client.prompt();
    model.refuse(null);
    model.script([model.bash()]);
    await client.prompt();
    await client.close();
  }),
  'a rate limit, an error and an overload that pass': shape(['"subtype":"api_error"'], async (live) => {
    const { model } = live;
    const client = live.start({ env: { CLAUDE_CODE_MAX_RETRIES: '4' } });
    model.script(LIMITED, [model.say(), model.bash()], BROKEN, OVERLOADED);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'errors that do not pass, in every turn': shape([API_ERROR], async (live) => {
    const { model } = live;
    const client = live.start();
    for (const error of [LIMITED, BROKEN, OVERLOADED]) {
      model.script([model.bash()]);
      model.refuse(error);
      await client.prompt();
    }
    model.refuse(null);
    await client.prompt();
    await client.close();
  }),
  'another model after an overload': shape(['"model_fallback"'], async (live) => {
    const { model } = live;
    const args = ['--fallback-model', 'claude-sonnet-4-5-20250929'];
    const client = live.start({ args, env: { CLAUDE_CODE_MAX_RETRIES: '3' } });
    model.script([model.think(), model.redacted(), model.bash()], OVERLOADED, OVERLOADED, OVERLOADED);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a request that is too long': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await client.prompt();
    live.model.script(TOO_LONG);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'requests that are too long, without compactions': shape(['Prompt is too long'], async (live) => {
    const client = live.start({ env: { DISABLE_COMPACT: '1' } });
    await client.prompt();
    live.model.refuse(TOO_LONG);
    await client.prompt();
    live.model.refuse(null);
    await client.prompt();
    await client.close();
  }),
  'a stream that is cut after a text': shape(['cut off mid-stream'], async (live) => {
    const { model } = live;
    await cutShort(live, [model.say(), model.bash()], 1);
  }),
  'a stream that is cut after a call': shape([API_ERROR], async (live) => {
    const { model } = live;
    await cutShort(live, [model.say(), model.bash(), model.say()], 2);
  }),
  'a stream that is cut at once': shape(['"subtype":"api_error"'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.bash()], { content: [model.say()], cutAfter: 0 });
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
};
