import { findClient } from '../../support/findClient';
import { startMockApi, type MockApi } from '../../support/mockApi';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import type { Compared } from './compareRewinds';
import type { Place } from './place';
import { RewindClient } from './rewindClient';
import { scriptedReplier } from './scriptedReplies';

export interface RewindBench {
  /** A fresh folder for a place. */
  folder(): Promise<string>;
  /** Starts the client in a place; it is ended with the test, if not before. `home`: another than the place's. */
  start(place: Place, args: readonly string[], home?: string): RewindClient;
  /** Adds to what is told at the end. */
  count(compared: Compared): void;
}

/** For a suite that asks the real client. Where it cannot be downloaded, the suite says so and is skipped. */
export function useRewindBench(): () => RewindBench {
  let client = '';
  let api: MockApi | null = null;
  let clients: RewindClient[] = [];
  let folders: { readonly remove: () => void }[] = [];
  const total = { histories: 0, rewinds: 0, changes: 0, mistaken: 0 };

  before(async function () {
    this.timeout(0);
    client = await skipWhenUnavailable(this, findClient);
    api = await startMockApi(scriptedReplier());
  });

  afterEach(async () => {
    await Promise.all(clients.map((each) => each.close()));
    for (const { remove } of folders) remove();
    [clients, folders] = [[], []];
  });

  after(async () => {
    await api?.close();
    const { histories, rewinds, changes, mistaken } = total;
    if (histories === 0) return;
    const left = mistaken === 0 ? '' : `, ${mistaken} files left by the client against its dry run`;
    console.log(`      ${histories} histories, ${rewinds} rewinds by both, ${changes} of them changed files${left}`);
  });

  const bench: RewindBench = {
    async folder() {
      const folder = await temporaryFolder();
      folders.push(folder);
      return folder.path;
    },
    start({ cwd, home, sessionId }, args, other = home) {
      // What the client puts into its temporary folder is no file of the session's.
      const started = new RewindClient(
        client,
        { cwd, home: other, root: home, baseUrl: api?.urlFor(sessionId) ?? '' },
        args,
      );
      clients.push(started);
      return started;
    },
    count({ rewinds, changes, mistaken }) {
      total.histories += 1;
      total.rewinds += rewinds;
      total.changes += changes;
      total.mistaken += mistaken;
    },
  };
  return () => bench;
}
