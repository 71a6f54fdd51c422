import type { LiveClient, LiveSession } from '../liveSession';
import { type LiveShapes, shape } from './shape';

/** Two turns, each with a call. */
async function talk(live: LiveSession, client: LiveClient): Promise<void> {
  const { model } = live;
  for (let turns = 0; turns < 2; turns++) {
    model.script([model.say(), model.bash(), model.bash()]);
    await client.prompt();
  }
}

const FORK = ['--fork-session'];

/** Sessions that are resumed, forked and rewound. */
export const RESUME_SHAPES: LiveShapes = {
  'resumed three times': shape(['"name":"Bash"'], async (live) => {
    let client = live.start();
    await talk(live, client);
    for (let times = 0; times < 3; times++) {
      await client.close();
      client = live.resume(client);
      await talk(live, client);
    }
    await client.close();
  }),
  'resumed by another model': shape(['"type":"redacted_thinking"', 'claude-haiku-4-5-20251001'], async (live) => {
    const { model } = live;
    const client = live.start();
    model.script([model.think(), model.redacted(), model.bash()], [model.redacted(), model.say()]);
    await client.prompt();
    await client.close();
    const resumed = live.resume(client, { args: ['--model', 'claude-haiku-4-5-20251001'] });
    await talk(live, resumed);
    await resumed.close();
  }),
  'continued as the newest session of its folder': shape(['"name":"Bash"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.close();
    const resumed = live.start({ args: ['--continue'] });
    await talk(live, resumed);
    await resumed.close();
  }),
  'a fork': shape(
    ['"name":"Bash"'],
    async (live) => {
      const client = live.start();
      await talk(live, client);
      await client.close();
      const fork = live.resume(client, { args: FORK });
      await talk(live, fork);
      await fork.close();
    },
    2,
  ),
  'a fork of a fork, both continued': shape(
    ['"name":"Bash"'],
    async (live) => {
      const client = live.start();
      await talk(live, client);
      await client.close();
      const fork = live.resume(client, { args: FORK });
      await fork.prompt();
      await fork.close();
      const second = live.resume(fork, { args: FORK });
      await second.prompt();
      await second.close();
      const resumed = live.resume(client);
      await resumed.prompt();
      await resumed.close();
    },
    3,
  ),
  'a fork after a compaction': shape(
    ['"compact_boundary"'],
    async (live) => {
      const client = live.start();
      await talk(live, client);
      await client.raw('/compact');
      await talk(live, client);
      await client.close();
      const fork = live.resume(client, { args: FORK });
      await talk(live, fork);
      await fork.close();
    },
    2,
  ),
  'a fork directly after a compaction': shape(
    ['"compact_boundary"'],
    async (live) => {
      const client = live.start();
      await talk(live, client);
      await client.raw('/compact');
      await client.close();
      const fork = live.resume(client, { args: FORK });
      await fork.prompt();
      await fork.close();
    },
    2,
  ),
  'resumed at an earlier reply': shape(['"name":"Bash"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    const reply = client.lastReply();
    await talk(live, client);
    await client.close();
    const resumed = live.resume(client, { args: ['--resume-session-at', reply] });
    await talk(live, resumed);
    await resumed.close();
    const again = live.resume(client);
    await again.prompt();
    await again.close();
  }),
  'forked at an earlier reply': shape(
    ['"name":"Bash"'],
    async (live) => {
      const client = live.start();
      await talk(live, client);
      const reply = client.lastReply();
      await talk(live, client);
      await client.close();
      const fork = live.resume(client, { args: [...FORK, '--resume-session-at', reply] });
      await talk(live, fork);
      await fork.close();
    },
    2,
  ),
  'two clients in one session': shape(['"name":"Bash"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    const other = live.resume(client);
    await other.prompt();
    await client.prompt();
    await other.prompt();
    await client.close();
    await other.close();
  }),
  'resumed in another folder': shape(['/project/sub"'], async (live) => {
    const client = live.start();
    await talk(live, client);
    await client.close();
    await live.write('sub/a.txt', 'x');
    const resumed = live.resume(client, { folder: 'sub' });
    await talk(live, resumed);
    await resumed.close();
  }),
};
