import { gate, type LiveClient, type LiveSession } from '../liveSession';
import { type LiveShapes, picture, shape } from './shape';

/** Three turns with calls. */
async function talk(live: LiveSession, client: LiveClient): Promise<void> {
  const { model } = live;
  for (let turns = 0; turns < 3; turns++) {
    model.script([model.say(), model.bash(), model.bash()]);
    await client.prompt();
  }
}

const BAD = { status: 400, error: { type: 'invalid_request_error', message: 'from the mock' } };

/** The counts of a window of 200,000 tokens that is almost full. */
const NEARLY_FULL = { input_tokens: 175_000 };
const SMALL_WINDOW = ['--model', 'claude-sonnet-4-6'];

/** Compactions. */
export const COMPACTION_SHAPES: LiveShapes = {
  '/compact with words': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.raw('/compact keep the names');
    await client.prompt();
    await client.close();
  }),
  '/compact at the end': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.raw('/compact');
    await client.close();
  }),
  'two compactions': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.raw('/compact one');
    await talk(live, client);
    await client.raw('/compact two');
    await talk(live, client);
    await client.close();
  }),
  'a compaction directly after another': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.raw('/compact one');
    await client.raw('/compact two');
    await client.prompt();
    await client.close();
  }),
  'a compaction after a resume': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.close();
    const resumed = live.resume(client);
    await resumed.raw('/compact');
    await talk(live, resumed);
    await resumed.close();
    const again = live.resume(client);
    await again.prompt();
    await again.close();
  }),
  'a compaction that fails': shape(['Error during compaction: API Error'], async (live) => {
    const { model } = live;
    const client = live.start();
    await talk(live, client);
    model.refuseSummary(BAD);
    await client.raw('/compact');
    model.refuseSummary(null);
    await client.prompt();
    await client.close();
  }),
  'killed during a compaction, and resumed': shape(['Go on.'], async (live) => {
    const { model } = live;
    const client = live.start();
    await talk(live, client);
    const held = gate();
    const asked = client.next(({ status }) => status === 'compacting');
    model.scriptSummary({ content: [model.say()], until: held.opened });
    client.postRaw('/compact');
    await asked;
    await client.kill();
    const resumed = live.resume(client);
    await resumed.prompt();
    await resumed.close();
  }),
  'a compaction with images, files and tasks': shape(['"compact_boundary"'], async (live) => {
    const { model, cwd } = live;
    const client = live.start();
    await client.prompt('Look.', [picture(1)]);
    const path = `${cwd}/a.txt`;
    model.script(
      [model.call('Write', { file_path: path, content: 'one\n' })],
      [model.call('TaskCreate', { subject: live.numbered('task'), description: 'x' })],
    );
    await client.prompt();
    await client.raw('/compact');
    await client.prompt('Look again.', [picture(2)]);
    await client.close();
  }),
  'a compaction by the client itself': shape(['"trigger":"auto"'], async (live) => {
    const { model } = live;
    const client = live.start({ args: SMALL_WINDOW });
    await talk(live, client);
    model.script({ content: [model.say()], usage: NEARLY_FULL });
    await client.prompt();
    await talk(live, client);
    await client.close();
  }),
  'a compaction by the client itself between two calls': shape(['"trigger":"auto"'], async (live) => {
    const { model } = live;
    const client = live.start({ args: SMALL_WINDOW });
    await talk(live, client);
    model.script({ content: [model.say(), model.bash(), model.bash()], usage: NEARLY_FULL }, [model.bash()]);
    await client.prompt();
    await client.prompt();
    await client.close();
  }),
  'a compaction because the API refuses the request': shape(['"trigger":"auto"'], async (live) => {
    const { model } = live;
    const client = live.start({ args: SMALL_WINDOW });
    await talk(live, client);
    const message = 'prompt is too long: 210000 tokens > 200000 maximum';
    model.script({ status: 400, error: { type: 'invalid_request_error', message } });
    await client.prompt();
    await talk(live, client);
    await client.close();
  }),
  'an interrupted turn and an error before a compaction': shape(
    ['"compact_boundary"', '[Request interrupted', '"isApiErrorMessage":true'],
    async (live) => {
      const { model } = live;
      const client = live.start();
      await talk(live, client);
      const command = live.endlessCommand();
      model.script([model.say(), command.call]);
      client.post();
      await command.started();
      await client.interrupt();
      model.refuse(BAD);
      await client.prompt();
      model.refuse(null);
      await client.raw('/compact');
      await client.prompt();
      await client.close();
    },
  ),
  'resumed at a reply from before a compaction': shape(['"compact_boundary"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    const reply = client.lastReply();
    await client.raw('/compact');
    await talk(live, client);
    await client.close();
    const resumed = live.resume(client, { args: ['--resume-session-at', reply] });
    await resumed.prompt();
    await resumed.close();
  }),
};
