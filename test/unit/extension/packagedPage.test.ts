import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagedPage } from '../../../scripts/packagedPage.mjs';

const ROOT = join(__dirname, '../../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const IGNORE = readFileSync(join(ROOT, '.vscodeignore'), 'utf8');
const REPOSITORY = 'https://github.com/owner/name';
const targetsIn = (page: string): string[] =>
  Array.from(page.matchAll(/\]\((?<target>[^)]+)\)/g), ({ groups }) => groups?.['target'] ?? '');
const picturesIn = (page: string): string[] =>
  Array.from(page.matchAll(/!\[[^\]]*\]\((?<target>[^)]+)\)/g), ({ groups }) => groups?.['target'] ?? '');

function manifest(): { repository?: unknown; contributes: { walkthroughs: unknown } } {
  // SAFETY: read as the fields that are looked at.
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as ReturnType<typeof manifest>;
}

describe('The page of the packaged extension', () => {
  it('is the text alone without a repository: no picture, no caption, no link to a path', () => {
    const page = packagedPage(README, undefined);
    assert.deepEqual(picturesIn(page), []);
    assert.deepEqual(
      targetsIn(page).filter((target) => !target.startsWith('https://')),
      [],
    );
    for (const [, alt = ''] of README.matchAll(/!\[([^\]]*)\]/g)) assert.ok(!page.includes(alt), alt);
    assert.match(page, /^# Rethread: Sessions for Claude Code\n\nClaude Code keeps every conversation in a file\./);
    assert.match(page, /See\sSECURITY\.md\./);
    assert.match(page, /\| `rethread\.claudeConfigDir` /);
  });

  it('keeps no heading and no paragraph of which only links were left', () => {
    const page = packagedPage(
      '# A\n\nText.\n\nMore: [b](docs/b.md) ·\n[c](docs/c.md)\n\n## More\n\n[d](d.md) · [e](e)\n',
      null,
    );
    assert.equal(page, '# A\n\nText.\n');
    assert.doesNotMatch(packagedPage(README, undefined), /^#+ [^\n]*\s*(?:$(?![^])|^#)/m);
  });

  it('leads to the repository if there is one', () => {
    const page = packagedPage(README, REPOSITORY);
    const pictures = picturesIn(page);
    assert.equal(pictures.length, picturesIn(README).length);
    assert.notEqual(pictures.length, 0);
    for (const picture of pictures) {
      const path = new RegExp(`^${REPOSITORY}/raw/HEAD/(media/.+\\.png)$`).exec(picture)?.[1] ?? '';
      assert.ok(existsSync(join(ROOT, path)), picture);
    }
    for (const target of targetsIn(page)) assert.match(target, /^https:\/\//);
    assert.ok(page.includes(`](${REPOSITORY}/blob/HEAD/docs/sessions.md)`));
  });

  it('knows a repository in each form that package.json may have', () => {
    for (const form of [
      REPOSITORY,
      { type: 'git', url: `git+${REPOSITORY}.git` },
      { url: 'ssh://git@github.com/owner/name.git' },
      'github:owner/name',
      'owner/name',
    ])
      assert.equal(packagedPage('![a](media/a.png)', form), `![a](${REPOSITORY}/raw/HEAD/media/a.png)`);
    assert.throws(() => packagedPage('', { url: 'somewhere' }), /Failed to read the repository/);
  });

  it('leaves absolute addresses, places in the page, and code as they are', () => {
    const text = '[a](https://a.example/) [b](#b) ![c](https://c.example/c.png)\n\n```\n[d](d.md)\n```\n';
    for (const repository of [undefined, REPOSITORY]) assert.equal(packagedPage(text, repository), text);
  });

  it('is packed with the pictures of the walkthrough, and no others', () => {
    const shown = JSON.stringify(manifest().contributes.walkthroughs).match(/media\/[^"]+\.png/g) ?? [];
    const packed = Array.from(
      IGNORE.matchAll(/^!(?<path>media\/screenshots\/.+)$/gm),
      ({ groups }) => groups?.['path'],
    );
    assert.deepEqual(packed.toSorted(), [...new Set(shown)].toSorted());
    assert.doesNotMatch(IGNORE, /^!README\.md$/m);
  });
});
