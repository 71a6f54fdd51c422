import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { Redactor } from '../rooms/conversation';
import { FIXTURES } from '../support/fixtures';
import { listKinds, measureRedaction } from './secretKinds';

/** Minimum share of the drawn secrets that must be found. */
const MIN_FOUND = 0.95;
/** Maximum number of redactions per line of files without secrets. */
const MAX_FALSE = 1 / 10_000;

const REPOSITORY = join(FIXTURES, '..');
/** What the repository consists of, except for dependencies and results of the build. */
const FILES = ['*.{md,json,mjs}', '{src,test,fixtures,docs,scripts,l10n}/**'];
/** The tests of this folder and one page, which deliberately contain made-up secrets. */
const WITH_SECRETS = ['test/redaction/**', 'test/unit/conversation/export/**', 'docs/redaction.md'];
const BINARY = ['**/*.{png,gif,jpg,woff2,wasm,gz,zip}'];

describe('The redaction of known kinds of secrets', () => {
  for (const seed of [1, 20_000]) {
    it(`finds 95 % of the secrets of at least 150 kinds in five contexts, and none in part (seed ${seed})`, function () {
      this.timeout(60_000);
      const { secrets, misses } = measureRedaction((text) => new Redactor().text(text), 4, seed);
      assert.ok(listKinds().length >= 150);
      const half = misses.filter(({ remains }) => remains === 'half-found');
      assert.deepEqual(
        half.map(({ kind, redacted }) => `${kind.id}: ${redacted}`),
        [],
      );
      const missed = misses.map(({ kind, redacted }) => `${kind.id}: ${redacted}`).join('\n');
      assert.ok(misses.length <= secrets * (1 - MIN_FOUND), `${misses.length} of ${secrets}:\n${missed}`);
    });
  }

  it('redacts at most one thing in 10,000 lines of code, documents and transcripts', async function () {
    this.timeout(120_000);
    const files = await fastGlob(FILES, { cwd: REPOSITORY, ignore: [...WITH_SECRETS, ...BINARY] });
    let lines = 0;
    const found: string[] = [];
    for (const file of files) {
      const text = readFileSync(join(REPOSITORY, file), 'utf8');
      const redactor = new Redactor();
      redactor.text(text);
      lines += text.split('\n').length;
      for (const { kind, count } of redactor.findings)
        found.push(...Array.from({ length: count }, () => `${file}: ${kind}`));
    }
    assert.ok(lines > 100_000, `Only ${lines} lines were read`);
    assert.ok(found.length <= lines * MAX_FALSE, `${found.length} in ${lines} lines:\n${found.join('\n')}`);
  });
});
