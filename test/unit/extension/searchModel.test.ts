import assert from 'node:assert/strict';
import { SearchModel, searchQuery } from '../../../src/extension/search/searchModel';
import type { SearchMatch, SearchOutcome, SearchQuery } from '../../../src/protocol/channels/search';
import { EMPTY_FORM, type SearchForm, type SearchNews } from '../../../src/protocol/channels/searchView';
import { Emitter } from '../../../src/extension/lifetime';
import type { WorkerClient } from '../../../src/extension/rpc/workerClient';

const NOW = Date.UTC(2026, 10, 20, 12);
const RAIN: SearchForm = { ...EMPTY_FORM, text: 'rain' };
const PROGRESS = { sessionsDone: 1, sessionsTotal: 4, bytesDone: 0, bytesTotal: 0 };
const DONE: SearchOutcome = {
  ...{ matches: 0, progress: { ...PROGRESS, sessionsDone: 4 }, isCut: false, isCancelled: false },
  ...{ unreadable: [], problem: null },
};

function match(name: string, line: number, change: Partial<SearchMatch> = {}): SearchMatch {
  return {
    filePath: `/c/projects/-p/${name}.jsonl`,
    sessionId: name,
    title: name,
    projectFolder: '/c/projects/-p',
    cwd: '/p',
    lastMessageMs: null,
    line,
    uuid: null,
    role: 'user',
    isResult: false,
    timeMs: null,
    excerpt: 'rain',
    hit: { start: 0, end: 4 },
    ...change,
  };
}

interface Search {
  readonly query: SearchQuery;
  readonly signal: AbortSignal;
  find(...matches: readonly SearchMatch[]): void;
  end(outcome?: Partial<SearchOutcome>): Promise<void>;
  fail(why: string): Promise<void>;
}

/** A worker whose searches are ended by the test. */
class FakeWorker {
  readonly searches: Search[] = [];
  readonly #found = new Emitter<Parameters<Parameters<WorkerClient['search']['onSearchFound']>[0]>[0]>();
  readonly client = {
    search: {
      onSearchFound: this.#found.event,
      searchSessions: (query: SearchQuery, searchId: string, signal: AbortSignal) =>
        new Promise<SearchOutcome>((resolve, reject) => {
          const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
          this.searches.push({
            query,
            signal,
            find: (...matches) => {
              this.#found.fire({ searchId, matches, progress: PROGRESS });
            },
            end: (outcome = {}) => {
              resolve({ ...DONE, ...outcome });
              return settle();
            },
            fail: (why) => {
              reject(new Error(why));
              return settle();
            },
          });
        }),
    },
  };

  get last(): Search {
    const last = this.searches.at(-1);
    assert.ok(last);
    return last;
  }
}

function createModel(kept?: unknown): { model: SearchModel; worker: FakeWorker; news: SearchNews[] } {
  const worker = new FakeWorker();
  const model = new SearchModel(
    {
      client: worker.client,
      describe: (error) => (error instanceof Error ? error.message : ''),
      describeSession: ({ title, projectFolder }) => ({
        title: title ?? '',
        age: '1d',
        project: { folder: projectFolder, label: 'p', around: '' },
      }),
      now: () => NOW,
    },
    kept,
  );
  const news: SearchNews[] = [];
  model.onNews((each) => news.push(each));
  return { model, worker, news };
}

const lines = (model: SearchModel): unknown =>
  model.sessions.map(({ title, hits }) => [title, hits.map(({ line }) => line)]);

describe('The search of the Search view', () => {
  it('groups the matches by session while they arrive, and counts those before', () => {
    const { model, worker, news } = createModel();
    model.search(RAIN);
    worker.last.find(match('a', 1), match('a', 2), match('b', 1));
    worker.last.find(match('b', 5), match('c', 1));
    assert.deepEqual(lines(model), [
      ['a', [1, 2]],
      ['b', [1, 5]],
      ['c', [1]],
    ]);
    assert.deepEqual(
      news.flatMap((each) => (each.kind === 'found' ? [each.hits] : [])),
      [0, 3],
    );
    assert.deepEqual(model.status, { kind: 'searching', sessionsDone: 1, sessionsTotal: 4 });
  });

  it('says who each hit is from', () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    worker.last.find(
      match('a', 1),
      match('a', 2, { role: 'assistant' }),
      match('a', 3, { isResult: true }),
      match('a', 4, { role: 'attachment' }),
    );
    assert.deepEqual(
      model.sessions.flatMap(({ hits }) => hits.map(({ author }) => author)),
      ['you', 'claude', 'tools', 'client'],
    );
  });

  it('ends the one before, whose matches are ignored from then on', async () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    const [first] = worker.searches;
    first?.find(match('a', 1));
    model.search({ ...RAIN, text: 'wind' });
    assert.equal(first?.signal.aborted, true);
    assert.equal(model.hasHits, false);
    first.find(match('a', 2));
    await first.end({ problem: 'of the first' });
    worker.last.find(match('b', 1));
    await worker.last.end();
    assert.deepEqual([lines(model), model.status.kind], [[['b', [1]]], 'done']);
  });

  it('reports what could not be searched', async () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    await worker.last.end({
      isCut: true,
      unreadable: [{ filePath: '/c/projects/-p/x.jsonl', problem: 'It is gone.' }],
    });
    assert.deepEqual(model.status, {
      ...{ kind: 'done', sessionsTotal: 4, isCut: true },
      unreadable: [{ name: 'x.jsonl', problem: 'It is gone.' }],
    });
    model.search({ ...RAIN, text: '(' });
    await worker.last.end({ problem: 'This is no regular expression.' });
    assert.deepEqual(model.status, { kind: 'failed', problem: 'This is no regular expression.' });
    model.search({ ...RAIN, text: ')' });
    await worker.last.fail('The worker is gone.');
    assert.deepEqual(model.status, { kind: 'failed', problem: 'The worker is gone.' });
  });

  it('begins again if the worker ended it for another config folder', async () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    await worker.last.end({ isCancelled: true });
    assert.equal(worker.searches.length, 2);
    await worker.last.end();
    assert.equal(model.status.kind, 'done');
  });

  it('is cleared by an empty text', () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    worker.last.find(match('a', 1));
    model.search({ ...RAIN, text: '  ' });
    assert.deepEqual([worker.searches.length, model.status, model.sessions], [1, { kind: 'idle' }, []]);
    assert.equal(worker.last.signal.aborted, true);
  });

  it('goes from hit to hit in the order of the view, and around at its ends', () => {
    const { model, worker, news } = createModel();
    assert.equal(model.step(1), null);
    model.search(RAIN);
    worker.last.find(match('a', 1), match('a', 7), match('b', 2));
    const step = (by: 1 | -1): unknown => model.step(by)?.line;
    assert.deepEqual([step(1), step(1), step(1), step(1), step(-1), step(-1)], [1, 7, 2, 1, 2, 7]);
    model.choose({ filePath: '/c/projects/-p/b.jsonl', line: 2 });
    assert.equal(step(-1), 7);
    assert.equal(news.filter(({ kind }) => kind === 'current').length, 7);
  });

  it('begins with the last hit if the person goes back first', () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    worker.last.find(match('a', 1), match('a', 7));
    assert.equal(model.step(-1)?.line, 7);
  });
});

describe('A search that was stored', () => {
  const kept = {
    form: RAIN,
    navigation: { hasFilters: true, folded: ['/c/projects/-p'], scrollTop: 40 },
    current: { filePath: '/c/projects/-p/a.jsonl', line: 7 },
  };

  it('is run again when the view is shown, once, and keeps its current hit', async () => {
    const { model, worker } = createModel(kept);
    model.resume();
    model.resume();
    assert.equal(worker.searches.length, 1);
    worker.last.find(match('a', 1), match('a', 7), match('a', 9));
    await worker.last.end();
    assert.deepEqual(model.kept, kept);
    assert.equal(model.step(1)?.line, 9);
  });

  it('keeps its current hit when it is run again, but not when the person looks for something else', () => {
    const { model } = createModel(kept);
    model.search({ ...RAIN });
    assert.deepEqual(model.kept.current, kept.current);
    model.search({ ...RAIN, isCaseSensitive: true });
    assert.deepEqual(model.kept.current, null);
    assert.deepEqual(model.kept.navigation, { hasFilters: true, folded: [], scrollTop: 0 });
  });

  it('contains no text of a message', () => {
    const { model, worker } = createModel();
    model.search(RAIN);
    worker.last.find(match('a', 1, { excerpt: 'secret', title: 'secret' }));
    model.step(1);
    assert.ok(!JSON.stringify(model.kept).includes('secret'));
  });

  it('is empty if it cannot be read', () => {
    for (const broken of [
      undefined,
      null,
      7,
      {},
      { ...kept, form: { text: 'rain' } },
      { ...kept, current: { line: 1 } },
    ]) {
      const { model, worker } = createModel(broken);
      model.resume();
      assert.deepEqual([model.kept.form, worker.searches.length], [EMPTY_FORM, 0]);
    }
  });
});

describe('The query of a form', () => {
  const filters = (change: Partial<SearchForm>): SearchQuery['filters'] =>
    searchQuery({ ...RAIN, ...change }, NOW).filters;

  it('searches in the order in which the view shows results', () => {
    assert.equal(searchQuery(RAIN, NOW).isByProject, true);
  });

  it('begins today at midnight, and otherwise whole days ago', () => {
    const day = 24 * 3600_000;
    const today = filters({ date: 'today' })?.sinceMs ?? 0;
    assert.equal(new Date(today).toTimeString().slice(0, 8), '00:00:00');
    assert.ok(today <= NOW && NOW - today < day);
    assert.equal(filters({ date: 'week' })?.sinceMs, NOW - 7 * day);
    assert.equal(filters({ date: 'month' })?.sinceMs, NOW - 30 * day);
    assert.deepEqual(
      [filters({ date: 'older' })?.sinceMs, filters({ date: 'older' })?.beforeMs],
      [null, NOW - 30 * day],
    );
  });

  it('leaves out a tool where only the person is asked for, and spaces around names', () => {
    assert.equal(filters({ author: 'you', tool: 'Bash' })?.tool, '');
    assert.deepEqual([filters({ tool: ' Bash ' })?.tool, filters({ branch: ' main ' })?.branch], ['Bash', 'main']);
  });
});
