import { gate, type LiveClient, type LiveSession } from '../liveSession';
import { type LiveShapes, shape } from './shape';

/** A client in the middle of a call, after a whole turn. */
async function midCall(
  live: LiveSession,
  besides: readonly ReturnType<LiveSession['model']['bash']>[] = [],
): Promise<LiveClient> {
  const { model } = live;
  const client = live.start();
  await client.prompt();
  const command = live.endlessCommand();
  model.script([model.say(), ...besides, command.call]);
  client.post();
  await command.started();
  return client;
}

/** A client in the middle of a reply, after a whole turn. */
async function midReply(live: LiveSession): Promise<LiveClient> {
  const { model } = live;
  const client = live.start();
  await client.prompt();
  const held = gate();
  model.script({ content: [model.think(), model.say(), model.say()], until: held.opened });
  client.post();
  await client.replied();
  return client;
}

async function goOn(live: LiveSession, client: LiveClient): Promise<void> {
  const resumed = live.resume(client);
  await resumed.prompt();
  await resumed.prompt();
  await resumed.close();
}

/** Interruptions, and clients that end in the middle. */
export const END_SHAPES: LiveShapes = {
  'killed during a call': shape(['it ran'], async (live) => {
    await (await midCall(live)).kill();
  }),
  'killed during a call, and resumed': shape(['No response requested.'], async (live) => {
    const client = await midCall(live);
    await client.kill();
    await goOn(live, client);
  }),
  'killed during the second of two calls, and resumed': shape(['No response requested.'], async (live) => {
    const client = await midCall(live, [live.model.bash()]);
    await client.kill();
    await goOn(live, client);
  }),
  'ended by SIGTERM during a call, and resumed': shape(['No response requested.'], async (live) => {
    const client = await midCall(live);
    await client.kill('SIGTERM');
    await goOn(live, client);
  }),
  'ended by SIGINT during a call': shape(['[Request interrupted by user'], async (live) => {
    await (await midCall(live)).kill('SIGINT');
  }),
  'killed during a reply, and resumed': shape(['Go on.'], async (live) => {
    const client = await midReply(live);
    await client.kill();
    await goOn(live, client);
  }),
  'killed during a reply': shape(['Go on.'], async (live) => {
    await (await midReply(live)).kill();
  }),
  'killed during a question, and resumed': shape(
    ['[Tool call interrupted:', 'No response requested.'],
    async (live) => {
      const { model } = live;
      const client = live.start({ answer: () => null });
      await client.prompt();
      model.script([model.say(), model.bash('touch x')]);
      const asked = client.next(({ request }) => request?.subtype === 'can_use_tool');
      client.post();
      await asked;
      await live.wrote('touch x');
      await client.kill();
      await goOn(live, client);
    },
  ),
  'interrupted during a call': shape(['[Request interrupted by user'], async (live) => {
    const client = await midCall(live);
    await client.interrupt();
    await client.close();
  }),
  'interrupted during a call, and continued': shape(['[Request interrupted by user'], async (live) => {
    const client = await midCall(live, [live.model.bash()]);
    await client.interrupt();
    await client.prompt();
    await client.close();
  }),
  'interrupted during a reply, and continued': shape(['[Request interrupted by user]'], async (live) => {
    const client = await midReply(live);
    await client.interrupt();
    await client.prompt();
    await client.close();
  }),
  'interrupted during a reply': shape(['[Request interrupted by user]'], async (live) => {
    const client = await midReply(live);
    await client.interrupt();
    await client.close();
  }),
  'interrupted during a question': shape(['[Request interrupted by user'], async (live) => {
    const { model } = live;
    const client = live.start({ answer: () => null });
    model.script([model.say(), model.bash('touch x'), model.bash('touch y')]);
    const asked = client.next(({ request }) => request?.subtype === 'can_use_tool');
    client.post();
    await asked;
    await client.interrupt();
    await client.prompt();
    await client.close();
  }),
};
