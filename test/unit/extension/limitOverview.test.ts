import assert from 'node:assert/strict';
import { limitOverview, projectLabel } from '../../../src/extension/tokens/limitOverview';
import type { ProjectSpending } from '../../../src/protocol/usage';
import { overview, spending } from './usageFakes';

const project = (name: string, scale: number, hasPrice = true): ProjectSpending => ({
  cwd: `/src/${name}`,
  folder: `/c/projects/-src-${name}`,
  ...spending(scale, hasPrice),
});

const NOTHING_ELSE = { resumes: null, tools: { kind: 'waiting' } } as const;

function limited(projects: readonly ProjectSpending[]) {
  const { page } = limitOverview(
    overview(1, { ranges: [{ range: 'all', total: spending(), models: [], projects, cache: [] }] }),
    'page',
    (each) => projectLabel(each, '/home/person'),
    NOTHING_ELSE,
  );
  const range = page?.ranges[0];
  assert.ok(range !== undefined);
  return range;
}

describe('The overview of all sessions', () => {
  it('lists the most expensive projects first, under the names of their folders', () => {
    const { projects, otherProjects } = limited([project('a', 1), project('b', 3), project('c', 2, false)]);
    assert.deepEqual(
      projects.map(({ label }) => label),
      ['b', 'a', 'c'],
    );
    assert.equal(otherProjects, null);
  });

  it('adds up the projects that do not fit, so that nothing is missing', () => {
    const all = Array.from({ length: 50 }, (_, at) => project(`p${at}`, at + 1, at % 2 === 0));
    const { projects, otherProjects } = limited(all);
    assert.equal(projects.length + (otherProjects?.count ?? 0), 50);
    const parts = [...projects, ...(otherProjects === null ? [] : [otherProjects])];
    const total = (
      list: readonly { counts: { output: number }; cost: { usd: number | null; unpricedTokens: number } }[],
    ) => [
      list.reduce((sum, { counts }) => sum + counts.output, 0),
      Math.round(list.reduce((sum, { cost }) => sum + (cost.usd ?? 0), 0) * 1e6),
      list.reduce((sum, { cost }) => sum + cost.unpricedTokens, 0),
    ];
    assert.deepEqual(total(parts), total(all));
  });

  it('adds up the cache of the models that do not fit', () => {
    const cache = Array.from({ length: 14 }, (_, at) => ({
      model: `m${at}`,
      promptTokens: 100,
      readTokens: at,
      savedUsd: at % 2 === 0 ? 1 : null,
      writeExtraUsd: null,
    }));
    const models = cache.map(({ model }) => ({ model, hasPrice: true, ...spending() }));
    const { page } = limitOverview(
      overview(1, { ranges: [{ range: 'all', total: spending(), models, projects: [], cache }] }),
      'page',
      ({ folder }) => folder,
      NOTHING_ELSE,
    );
    const listed = page?.ranges[0]?.cache ?? [];
    assert.equal(listed.length, 11);
    assert.deepEqual(listed.at(-1), {
      model: null,
      others: 4,
      promptTokens: 400,
      readTokens: 10 + 11 + 12 + 13,
      savedUsd: 2,
      writeExtraUsd: null,
    });
  });

  it('never replaces a single project by “1 more”', () => {
    const { projects, otherProjects } = limited(Array.from({ length: 13 }, (_, at) => project(`p${at}`, 1)));
    assert.equal(projects.length, 13);
    assert.equal(otherProjects, null);
  });

  it('has no cost of others if none of them has a price', () => {
    const { otherProjects } = limited(Array.from({ length: 30 }, (_, at) => project(`p${at}`, 1, false)));
    assert.equal(otherProjects?.cost.usd, null);
  });

  it('names a project after its folder under projects/ if no row states a working directory', () => {
    const unnamed = { ...project('x', 1), cwd: null };
    assert.equal(projectLabel(unnamed, '/home/person'), '-src-x');
    assert.equal(projectLabel({ ...unnamed, cwd: '/home/person' }, '/home/person'), '~');
    assert.equal(projectLabel({ ...unnamed, cwd: '/' }, '/home/person'), '/');
  });
});
