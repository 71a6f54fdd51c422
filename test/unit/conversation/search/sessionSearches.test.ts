import assert from 'node:assert/strict';
import { type SearchUpdate, SessionSearches, type StartSearch } from '../../../rooms/conversation';
import type { SearchOutcome, SearchProgress, SearchQuery } from '../../../../src/protocol/channels/search';

const QUERY: SearchQuery = { text: 'x', isRegExp: false, isCaseSensitive: false, roles: [], limit: 10 };
const forEver = new AbortController().signal;

/** A search that continues until it is cancelled, one session per step. */
const endless: StartSearch = async function* (_query, signal): AsyncGenerator<SearchUpdate, SearchOutcome> {
  let progress: SearchProgress = { sessionsDone: 0, sessionsTotal: 1000, bytesDone: 0, bytesTotal: 1000 };
  while (!signal.aborted) {
    await new Promise(setImmediate);
    progress = { ...progress, sessionsDone: progress.sessionsDone + 1 };
    yield { matches: [], progress };
  }
  return { matches: 0, progress, isCut: false, isCancelled: true, unreadable: [], problem: null };
};

describe('The searches of a worker', () => {
  it('are cancelled by their signals, while the others continue', async () => {
    const reported: string[] = [];
    const [one, two] = [new AbortController(), new AbortController()];
    const searches: SessionSearches = new SessionSearches(endless, {
      searchFound: ({ searchId, progress: { sessionsDone } }) => {
        reported.push(searchId);
        if (sessionsDone === 3) one.abort();
        if (sessionsDone === 10) two.abort();
      },
    });
    const outcomes = await Promise.all([
      searches.searchSessions(QUERY, 'one', one.signal),
      searches.searchSessions(QUERY, 'two', two.signal),
    ]);
    assert.deepEqual(
      outcomes.map(({ isCancelled }) => isCancelled),
      [true, true],
    );
    assert.deepEqual(
      [reported.filter((id) => id === 'one').length, reported.filter((id) => id === 'two').length],
      [3, 10],
    );
    one.abort();
  });

  it('wait until the extension has taken the last results', async () => {
    let taking = 0;
    const searches: SessionSearches = new SessionSearches(endless, {
      searchFound: async ({ progress: { sessionsDone } }) => {
        taking += 1;
        assert.equal(taking, 1);
        await new Promise((done) => setTimeout(done, 2));
        taking -= 1;
        if (sessionsDone === 5) searches.cancelAll();
      },
    });
    assert.equal((await searches.searchSessions(QUERY, 'one', forEver)).progress.sessionsDone, 5);
  });

  it('are replaced by a later search with the same id', async () => {
    const searches = new SessionSearches(endless, { searchFound: () => undefined });
    const later = new AbortController();
    const first = searches.searchSessions(QUERY, 'one', forEver);
    const second = searches.searchSessions(QUERY, 'one', later.signal);
    assert.equal((await first).isCancelled, true);
    later.abort();
    assert.equal((await second).isCancelled, true);
  });
});
