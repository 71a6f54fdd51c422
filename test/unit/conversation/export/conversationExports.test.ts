import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { marked, type Token } from 'marked';
import { nodeWriteFs } from '../../../rooms/storage';
import type { ExportFormat } from '../../../../src/protocol/channels/exports';
import { FIXTURES, listRecordings } from '../../../support/fixtures';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { createExports, requestFor, writeMessages } from './exportFiles';
import { FAKE_SECRETS } from '../../../redaction/fakeSecrets';

const forEver = new AbortController().signal;
const FORMATS: readonly ExportFormat[] = ['markdown', 'html', 'json'];

const HOSTILE = [
  '<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)><math><style>*{}</style>',
  '</pre></details></article></main><h1>mine</h1><!-- <a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1)) ![x](http://127.0.0.1/x.png) <http://127.0.0.1/> http://127.0.0.1/ www.example.com',
  '```\n# out\n````\n<script>\n``````````\n~~~\n---\n> q\n1. l\n- [ ] t\n\\`\n| a | b |\n|---|---|\n',
  '\u0000\u0001\u0008\u001b[31mred\u001b[0m\u001b]8;;http://127.0.0.1\u0007link\u009b1m \ufffe \ud800 \u2028 \u202e',
  '&lt;&amp;&#60; "quoted" \'single\' $x^2$ @someone #1 :smile: *b* _i_ ~s~ `c` $(x) {{ x }} %% x',
].join('\n');

/** An image of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';

/** One of every kind of content, with the same text in each place. */
function messagesWith(text: string): (readonly [string, unknown])[] {
  const call = (at: number, name: string, input: unknown): unknown => ({ type: 'tool_use', id: `t${at}`, name, input });
  const calls = [
    call(0, 'Bash', { command: text, description: text }),
    call(1, 'Write', { file_path: text, content: text }),
    call(2, 'Edit', { file_path: '/a', old_string: text, new_string: `${text}x` }),
    call(3, 'Grep', { pattern: text, path: text }),
    call(4, 'WebFetch', { url: text, prompt: text }),
    call(5, 'Task', { subagent_type: text, prompt: text, description: text }),
    call(6, 'TodoWrite', { todos: [{ content: text, status: text, activeForm: text }] }),
    call(7, `mcp__${text}`, { [text]: text }),
    call(8, 'Read', { file_path: text }),
  ];
  return [
    ['user', text],
    ['assistant', [{ type: 'thinking', thinking: text, signature: 's' }]],
    ['assistant', [{ type: 'text', text }]],
    ['assistant', calls],
    ['user', calls.map((_, at) => ({ type: 'tool_result', tool_use_id: `t${at}`, content: text, is_error: at === 0 }))],
    ['user', [{ type: 'tool_result', tool_use_id: 'none', content: [{ type: 'text', text }] }]],
    ['assistant', [{ type: text, [text]: text }]],
    ['user', [{ type: 'image', source: { type: 'base64', media_type: text, data: 'AAAA' } }]],
    [text, text],
  ];
}

describe('An export', () => {
  async function exportText(format: ExportFormat, text: string, isRedacted = false): Promise<string> {
    return withTemporaryFolder(async (folder) => {
      await writeMessages(folder, messagesWith(text));
      const request = requestFor(folder, { format, isRedacted });
      const { problem } = await createExports().exportConversation(request, '1', forEver);
      assert.equal(problem, null);
      return readFile(request.target, 'utf8');
    });
  }

  it('to HTML contains no element, attribute or address from the transcript', async () => {
    const html = await exportText('html', HOSTILE);
    const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(html.includes(`content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'"`));
    const OURS =
      /^<(?:!DOCTYPE html|html lang="en"|meta charset="utf-8"|meta http-equiv="Content-Security-Policy" content="[^"]*"|meta name="viewport" content="width=device-width"|article class="(?:user|assistant|system|attachment|progress|unknown|break|fault)"|pre class="(?:markdown|text|sh|diff|json)" dir="auto"|(?:h1|h3|dd|summary) dir="auto"|\/?(?:html|head|title|style|body|h1|h2|h3|dl|dt|dd|main|article|details|summary|pre))>/;
    for (const [tag] of html.matchAll(/<[^]{0,150}/g)) assert.match(tag, OURS);

    // eslint-disable-next-line no-control-regex -- control characters are what this searches for
    assert.doesNotMatch(html, /[\0-\u0008\u000b-\u001f\u007f-\u009f]/);
    assert.ok(html.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  });

  it('to Markdown keeps the Markdown of prompts and replies, and fences all else', async () => {
    const markdown = await exportText('markdown', HOSTILE);
    const tokens: Token[] = [];
    void marked.walkTokens(marked.lexer(markdown), (token) => {
      tokens.push(token);
    });
    const types = new Set(tokens.map(({ type }) => type));
    for (const type of ['html', 'image', 'def']) assert.ok(!types.has(type), type);
    const hrefs = tokens.flatMap((token) => (token.type === 'link' ? [(token as { href: string }).href] : []));
    for (const href of hrefs) assert.match(href, /^(?:https?:|mailto:)/);
    const codes = tokens.flatMap((token) => (token.type === 'code' ? [(token as { text: string }).text] : []));
    assert.ok(codes.filter((code) => code.includes('<script>alert(1)</script>')).length >= 12);
    // Each message has its heading, whatever the message before contains.
    const headings = marked.lexer(markdown).filter((token) => token.type === 'heading' && token.depth === 2);
    assert.equal(headings.length, messagesWith(HOSTILE).length);
  });

  it('to JSON contains the transcript’s values, one item per line', async () => {
    const text = await exportText('json', HOSTILE);
    const document = JSON.parse(text) as {
      format: string;
      session: object;
      items: { blocks: Record<string, unknown>[] }[];
    };
    assert.equal(document.format, 'rethread-conversation');
    assert.equal(document.items[0]?.blocks[0]?.['body'], HOSTILE);
    assert.equal(text.split('\n').length, document.items.length + 3);
    for (const { blocks } of document.items) assert.ok(!JSON.stringify(blocks).includes('"more":0,'));
  });

  for (const format of FORMATS) {
    it(`to ${format} contains no secret, wherever it is`, async () => {
      for (const { text, secret, kind } of FAKE_SECRETS) {
        const exported = await exportText(format, `before ${text} after`, true);
        assert.ok(!exported.includes(secret), kind);
        // No single line of a multi-line key remains either.
        for (const line of secret.split(/\n|\\n/).filter((each) => each.length > 30))
          assert.ok(
            !exported.includes(line),
            `${kind}: ${exported.slice(Math.max(0, exported.indexOf(line) - 300), exported.indexOf(line) + 100)}`,
          );
      }
    }).timeout(60_000);

    it(`to ${format} contains no secret that colour codes split`, async () => {
      const { text: token } = FAKE_SECRETS.find(({ kind }) => kind === 'github-token') ?? { text: '' };
      const found = `TOKEN=\u001b[01;31m\u001b[K${token.slice(0, 4)}\u001b[m\u001b[K${token.slice(4)} # mine`;
      const exported = await exportText(format, found, true);
      assert.ok(!exported.includes(token.slice(4, 20)));
      assert.ok(exported.includes('# mine'));
    });

    it(`to ${format} contains whole texts, however long, and finds secrets at any position in them`, async () => {
      const { secret, text } = FAKE_SECRETS.find(({ kind }) => kind === 'github-token') ?? { secret: '', text: '' };
      // Around every length at which the panel cuts.
      for (const length of [200, 400, 4_000, 8_000, 20_000]) {
        for (const before of [length - 30, length - 10, length - 1]) {
          const exported = await exportText(format, `${'x '.repeat(before / 2)}${text} the end of it`, true);
          assert.ok(!exported.includes(secret.slice(0, 9)), `${length}, ${before}`);
          assert.ok(exported.includes('the end of it'));
        }
      }
    }).timeout(60_000);

    it(`to ${format} is the same each time, byte for byte`, async () => {
      for (const file of listRecordings()) {
        await withTemporaryFolder(async (folder) => {
          const bytes: Buffer[] = [];
          for (const target of ['one', 'two']) {
            const request = {
              ...requestFor(folder, { format, target: join(folder, target) }),
              filePath: join(FIXTURES, file),
            };
            const outcome = await createExports().exportConversation(request, target, forEver);
            const written = await readFile(request.target);
            assert.deepEqual([outcome.problem, outcome.bytes], [null, written.length]);
            bytes.push(written);
          }
          assert.ok(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0)), file);
        });
      }
    }).timeout(60_000);
  }

  it('embeds the transcript’s images, names them, or states where they are', async () => {
    const [small, large] = [PIXEL, 'A'.repeat(12 * 1024 * 1024)];
    const image = (data: string, type = 'image/png'): unknown => ({
      type: 'image',
      source: { type: 'base64', media_type: type, data },
    });
    await withTemporaryFolder(async (folder) => {
      await writeMessages(folder, [
        ['user', [image(small), image(large), image('"><script>'), image('c3Zn', 'image/svg+xml')]],
        ['assistant', [{ type: 'tool_use', id: 't', name: 'Read', input: { file_path: '/a.png' } }]],
        ['user', [{ type: 'tool_result', tool_use_id: 't', content: [image(small)] }]],
      ]);
      const texts: Record<string, string> = {};
      for (const format of FORMATS) {
        const request = requestFor(folder, { format, view: { kind: 'chain' } });
        assert.equal((await createExports().exportConversation(request, '1', forEver)).problem, null);
        texts[format] = await readFile(request.target, 'utf8');
      }
      const { html = '', markdown = '', json = '' } = texts;
      const url = `data:image/png;base64,${PIXEL}`;
      assert.deepEqual(
        [...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag),
        [
          `<img src="${url}" alt="Image: image/png, 45 bytes, line 1">`,
          `<img src="${url}" alt="Image: image/png, 45 bytes, line 3">`,
        ],
      );
      assert.ok(html.includes('<p>Image: image/png, 9437184 bytes, line 1</p>'));
      assert.doesNotMatch(html, /<script|svg\+xml;base64/);
      assert.equal(markdown.match(/Image\\: image\/png, /g)?.length, 4);
      assert.ok(!markdown.includes(PIXEL) && !json.includes(PIXEL));
      const { items } = JSON.parse(json) as { items: { line: number; blocks: Record<string, unknown>[] }[] };
      const first = { kind: 'image', path: 'message.content.0.source', mediaType: 'image/png', bytes: 45 };
      assert.deepEqual(items[0]?.blocks[0], first);
      const { line, images } = items[1]?.blocks[0]?.['result'] as { line: number; images: object[] };
      const shown = { path: 'message.content.0.content.0.source', mediaType: 'image/png', bytes: 45 };
      assert.deepEqual([line, images], [3, [shown]]);
    });
  });

  it('without redaction keeps what a preview reports as redactable', () =>
    withTemporaryFolder(async (folder) => {
      const { text, kind } = FAKE_SECRETS[0] ?? { text: '', kind: '' };
      await writeMessages(folder, [['user', `use ${text}`]]);
      const exports = createExports();
      const request = requestFor(folder, { isRedacted: false });
      const outcome = await exports.exportConversation(request, '1', forEver);
      assert.deepEqual(outcome.redactions, []);
      assert.ok((await readFile(request.target, 'utf8')).includes(text));
      const { secrets: found } = await exports.previewRedaction(request.filePath, request.view, '2', forEver);
      assert.deepEqual([found[0]?.kind, found[0]?.sample], [kind, `${text.slice(0, 4)}…`]);
      const redacted = await exports.exportConversation({ ...request, isRedacted: true }, '3', forEver);
      assert.deepEqual(redacted.redactions, found);
    }));

  it('redacts secrets in the name of a conversation', () =>
    withTemporaryFolder(async (folder) => {
      const { text } = FAKE_SECRETS.find(({ kind }) => kind === 'github-token') ?? { text: '' };
      await writeMessages(folder, [['user', `Deploy with ${text} please`]]);
      const { filePath, view } = requestFor(folder);
      const { title } = await createExports().previewRedaction(filePath, view, '1', forEver);
      assert.equal(title, 'Deploy with [redacted: github-token] please');
    }));

  it('is a file that only its owner can read, and replaces an earlier one', () =>
    withTemporaryFolder(async (folder) => {
      await writeMessages(folder, [['user', 'asked']]);
      const request = requestFor(folder);
      await writeFile(request.target, 'older');
      const outcome = await createExports().exportConversation(request, '1', forEver);
      const { size, mode } = await stat(request.target);
      assert.deepEqual([outcome.bytes, outcome.items], [size, 1]);
      if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o600);
      assert.deepEqual((await readdir(folder)).sort(), ['out', 'session.jsonl']);
    }));

  it('never overwrites its transcript, under any of its names, or a folder', () =>
    withTemporaryFolder(async (folder) => {
      await writeMessages(folder, [['user', 'asked']]);
      const request = requestFor(folder);
      const before = await readFile(request.filePath);
      await link(request.filePath, join(folder, 'other'));
      await mkdir(join(folder, 'folder'));
      for (const target of ['session.jsonl', 'other', 'folder', 'nowhere/out']) {
        const outcome = await createExports().exportConversation(
          { ...request, target: join(folder, target) },
          '1',
          forEver,
        );
        assert.notEqual(outcome.problem, null, target);
        assert.equal(outcome.bytes, 0);
      }
      assert.deepEqual(await readFile(request.filePath), before);
      assert.deepEqual((await readdir(folder)).sort(), ['folder', 'other', 'session.jsonl']);
    }));

  it('never overwrites a transcript, a backup or a read-only file', () =>
    withTemporaryFolder(async (folder) => {
      await writeMessages(folder, [['user', 'asked']]);
      const names = ['other.jsonl', 'other.jsonl.backup-1790000000000', 'kept.md'];
      for (const name of names) await writeFile(join(folder, name), 'kept');
      await chmod(join(folder, 'kept.md'), 0o444);
      for (const name of names) {
        const request = requestFor(folder, { target: join(folder, name) });
        const { problem } = await createExports().exportConversation(request, '1', forEver);
        assert.match(problem ?? '', /^There is a (?:transcript|backup|read-only file) of this name\.$/);
        assert.equal(await readFile(join(folder, name), 'utf8'), 'kept');
      }
      assert.deepEqual((await readdir(folder)).sort(), [...names, 'session.jsonl'].sort());
    }));

  it('writes nothing below a config folder, also through a link', () =>
    withTemporaryFolder(async (folder) => {
      const configDir = join(folder, 'config');
      const project = join(configDir, 'projects', '-p');
      await mkdir(project, { recursive: true });
      await mkdir(join(folder, 'other', 'projects', '-p'), { recursive: true });
      await writeMessages(project, [['user', 'asked']]);
      await symlink(project, join(folder, 'link'), 'junction');
      for (const target of ['config/a.md', 'config/projects/-p/a.md', 'link/a.md', 'link/../../settings.json']) {
        // The link leads to the config folder that is known, or in which the transcript is.
        for (const known of [configDir, join(folder, 'other')]) {
          const request = requestFor(project, { target: `${folder}/${target}` });
          const { problem } = await createExports({ configDir: known }).exportConversation(request, '1', forEver);
          assert.equal(problem, 'Nothing can be exported to the folder of Claude Code.', target);
        }
      }
      const request = requestFor(project, { target: join(folder, 'config.md') });
      assert.equal((await createExports({ configDir }).exportConversation(request, '1', forEver)).problem, null);
    }));

  it('reports a missing transcript', () =>
    withTemporaryFolder(async (folder) => {
      const outcome = await createExports().exportConversation(requestFor(folder), '1', forEver);
      assert.match(outcome.problem ?? '', /does not exist/);
      assert.deepEqual(await readdir(folder), []);
      await assert.rejects(
        createExports().previewRedaction(join(folder, 'x.jsonl'), { kind: 'chain' }, '2', forEver),
        /does not exist/,
      );
    }));

  it('keeps the existing file, and leaves nothing else, when the disk is full or it is cancelled', () =>
    withTemporaryFolder(async (folder) => {
      await writeMessages(
        folder,
        Array.from({ length: 300 }, (_, at) => ['user', `asked ${at}`]),
      );
      const request = requestFor(folder);
      await writeFile(request.target, 'older');
      const full = createExports({
        fs: {
          ...nodeWriteFs,
          open: async (path, mode) => {
            const file = await nodeWriteFs.open(path, mode);
            if (mode === 'read') return file;
            return { ...file, write: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) };
          },
        },
      });
      assert.match((await full.exportConversation(request, '1', forEver)).problem ?? '', /ENOSPC/);
      let reported = 0;
      let time = 0;
      const cancelling = new AbortController();
      const cancelled = createExports({
        now: () => (time += 1000),
        events: {
          exportProgress: ({ exportId, itemsDone, itemsTotal }) => {
            reported += 1;
            assert.deepEqual([exportId, itemsDone, itemsTotal], ['2', 100, 300]);
            cancelling.abort();
          },
        },
      });
      const outcome = await cancelled.exportConversation(request, '2', cancelling.signal);
      assert.deepEqual([outcome.isCancelled, outcome.problem, outcome.bytes, reported], [true, null, 0, 1]);
      await cancelled.settled();
      assert.deepEqual((await readdir(folder)).sort(), ['out', 'session.jsonl']);
      assert.equal(await readFile(request.target, 'utf8'), 'older');
    }));
});
