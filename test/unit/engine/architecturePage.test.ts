import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

describe('The architecture page', () => {
  it('names only files that exist', () => {
    const named = [...PAGE.matchAll(/`((?:core|extension|protocol|webview|worker|cli)\/[^`*]+)`/g)].flatMap(
      ([, path]) => path ?? [],
    );
    assert.ok(named.length > 40, `${named.length} paths`);
    assert.deepEqual(
      named.filter((path) => !existsSync(join(ROOT, 'src', path))),
      [],
    );
  });

  it('is linked from the guide for contributors', () => {
    assert.match(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'), /\(docs\/architecture\.md\)/);
  });
});
