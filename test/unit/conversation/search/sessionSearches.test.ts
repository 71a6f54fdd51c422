import assert from 'node:assert/strict';
import {
  type SearchUpdate,
  SessionSearches,
  type StartSearch,
} from '../../../../src/core/conversation/search/searchSessions';
import type { SearchOutcome, SearchProgress, SearchQuery } from '../../../../src/protocol/api/search';

const QUERY: SearchQuery = { text: 'x', isRegExp: false, isCaseSensitive: false, roles: [], limit: 10 };

/** A search that goes on until it is cancelled, a session at a step. */
const endless: StartSearch = async function* (_query, signal): AsyncGenerator<SearchUpdate, SearchOutcome> {
  let progress: SearchProgress = { sessionsDone: 0, sessionsTotal: 1000, bytesDone: 0, bytesTotal: 1000 };
  while (!signal.aborted) {
    await new Promise(setImmediate);
    progress = { ...progress, sessionsDone: progress.sessionsDone + 1 };
    yield { matches: [], progress };
  }
  return { matches: 0, progress, isCut: false, isCancelled: true, unreadable: [], problem: null };
};

describe('searches of a worker', () => {
  it('are cancelled by their ids, and the others go on', async () => {
    const told: string[] = [];
    const searches: SessionSearches = new SessionSearches(endless, {
      searchFound: (searchId, _matches, { sessionsDone }) => {
        told.push(searchId);
        if (sessionsDone === 3) void searches.cancelSearch('one');
        if (sessionsDone === 10) void searches.cancelSearch('two');
      },
    });
    const outcomes = await Promise.all([searches.searchSessions(QUERY, 'one'), searches.searchSessions(QUERY, 'two')]);
    assert.deepEqual(
      outcomes.map(({ isCancelled }) => isCancelled),
      [true, true],
    );
    assert.deepEqual([told.filter((id) => id === 'one').length, told.filter((id) => id === 'two').length], [3, 10]);
    await searches.cancelSearch('one');
  });

  it('wait until the host has taken what was told', async () => {
    let taking = 0;
    const searches: SessionSearches = new SessionSearches(endless, {
      searchFound: async (_searchId, _matches, { sessionsDone }) => {
        taking += 1;
        assert.equal(taking, 1);
        await new Promise((done) => setTimeout(done, 2));
        taking -= 1;
        if (sessionsDone === 5) searches.cancelAll();
      },
    });
    assert.equal((await searches.searchSessions(QUERY, 'one')).progress.sessionsDone, 5);
  });

  it('give way to a later one of the same id', async () => {
    const searches = new SessionSearches(endless, { searchFound: () => undefined });
    const first = searches.searchSessions(QUERY, 'one');
    const second = searches.searchSessions(QUERY, 'one');
    assert.equal((await first).isCancelled, true);
    await searches.cancelSearch('one');
    assert.equal((await second).isCancelled, true);
  });
});
