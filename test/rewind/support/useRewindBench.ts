import { findClient } from '../../support/findClient';
import { startMockApi, type MockApi } from '../../support/mockApi';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import type { Compared } from './compareRewinds';
import type { Place } from './place';
import { RewindClient } from './rewindClient';
import { scriptedReplier } from './scriptedReplies';

export interface RewindBench {
  /** A new folder for a place. */
  folder(): Promise<string>;
  /** Starts the client in a place; it ends with the test at the latest. `home`: a home other than that of the place. */
  start(place: Place, args: readonly string[], home?: string): RewindClient;
  /** Adds to the report at the end. */
  count(compared: Compared): void;
}

/** For a suite that needs the real client. Where it cannot be downloaded, the suite reports that and is skipped. */
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
      // The client's temporary files do not belong to the session.
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
