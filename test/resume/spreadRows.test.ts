import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LARGE_FILE_BYTES } from '../rooms/transcript';
import { findClient } from '../support/findClient';
import { openResumeBench, type ResumeBench } from '../support/resumeCheck';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { prompt, reply, type RowFields } from '../support/transcriptBuilder';

const NAMES = ['p1', 'r1', 'p2', 'r2'] as const;
const ROWS = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const plain = (row: RowFields | undefined): string => `${JSON.stringify(row)}\n`;
const pretty = (row: RowFields | undefined): string => `${JSON.stringify(row, null, 2)}\n`;
const all = ROWS.map(pretty).join('');
/** Metadata before rows, so that the file has this size. */
const padded = (rows: string, size: number): string => {
  const row = (summary: string): string => `${JSON.stringify({ type: 'summary', summary })}\n`;
  return row('x'.repeat(size - rows.length - row('').length)) + rows;
};

interface Shape {
  readonly bytes: string;
  /** The rows whose texts reach the request. */
  readonly loaded: readonly string[];
  readonly status: string;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'pretty-printed rows': { bytes: all, loaded: NAMES, status: 'healthy' },
  'pretty-printed rows with CRLF, between others': {
    bytes: ROWS.map((row, at) => (at % 2 === 0 ? pretty(row) : plain(row)).replaceAll('\n', '\r\n')).join(''),
    loaded: NAMES,
    status: 'healthy',
  },
  'a pretty-printed row that is torn': {
    bytes: ROWS.slice(0, 3).map(pretty).join('') + pretty(ROWS[3]).slice(0, 80),
    loaded: NAMES.slice(0, 3),
    status: 'healthy',
  },
  'a list of rows': { bytes: JSON.stringify(ROWS, null, 2), loaded: [], status: 'unreadable' },
  'a line that swallows the last row': {
    bytes: `${ROWS.slice(0, 3).map(plain).join('')}{"type":"user","message":\n${plain(ROWS[3])}`,
    loaded: NAMES.slice(0, 3),
    status: 'corrupted',
  },
  'pretty-printed rows in a file of 5 MiB': { bytes: padded(all, LARGE_FILE_BYTES), loaded: NAMES, status: 'healthy' },
  'pretty-printed rows in a file over 5 MiB': {
    bytes: padded(all, LARGE_FILE_BYTES + 1),
    loaded: [],
    status: 'unreadable',
  },
};

describe('The real client reads rows of several lines as predicted', () => {
  let bench: ResumeBench | null = null;

  before(async function () {
    this.timeout(0);
    bench = await openResumeBench(await skipWhenUnavailable(this, findClient));
  });

  after(() => bench?.close());

  for (const [name, { bytes, loaded, status }] of Object.entries(SHAPES)) {
    it(name, async () => {
      assert.ok(bench !== null);
      const filePath = join(await mkdtemp(join(bench.folder, 'spread-')), '44444444-4444-4444-8444-444444444444.jsonl');
      await writeFile(filePath, bytes);
      const { scan, run, leaf } = await bench.observe(filePath);
      const request = JSON.stringify(run.messages ?? []);
      assert.deepEqual(
        NAMES.filter((each) => request.includes(`prompt ${each}`) || request.includes(`reply ${each}`)),
        loaded,
      );
      assert.equal(scan.status, status);
      assert.equal(scan.chainDepth, loaded.length);
      assert.ok(leaf.isEqual, JSON.stringify(leaf));
    });
  }
});
