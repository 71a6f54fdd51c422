import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, CHECKS, diagnosticsFor } from '../../rooms/diagnose';
import { createEngine } from '../../../src/core/engine';
import { LoadedTranscript } from '../../rooms/loader';
import { RowFlag, type ScannerFactory } from '../../rooms/transcript';
import type { Finding, Severity } from '../../../src/protocol/repair';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, prompt, reply, result, transcript } from '../../support/transcriptBuilder';
import { withForkFixture } from '../history/fork/forkFixture';

const CODE = 'tool-rows';

/** Finds rows with calls and results, like a check that someone might add to the table. */
function toolRows(kind: 'index' | 'load', severity: Severity, onWholeLoad: () => void = () => undefined): Check {
  return {
    kind,
    code: CODE,
    find(loaded: Pick<LoadedTranscript, 'index'>): Finding[] {
      if (loaded instanceof LoadedTranscript) onWholeLoad();
      const { rows } = loaded.index;
      const lines: number[] = [];
      for (let row = 0; row < rows.count; row++) {
        if (rows.has(row, RowFlag.hasToolUse | RowFlag.hasToolResult)) lines.push(rows.line(row));
      }
      const message = `${lines.length} rows are about tools.`;
      return lines.length === 0 ? [] : [{ code: CODE, severity, action: 'tell', lines, uuids: [], message }];
    },
  };
}

const START = [prompt('p1', null), call('c1', 'p1', 't1'), result('a1', 'c1', 't1'), reply('r1', 'a1')];
const MORE = [prompt('p2', 'r1'), call('c2', 'p2', 't2'), result('a2', 'c2', 't2'), reply('r2', 'a2')];

describe('An added check', () => {
  for (const kind of ['index', 'load'] as const) {
    it(`is run again as a transcript grows, if it uses the ${kind === 'index' ? 'index' : 'loaded rows'}`, () =>
      withTemporaryFolder(async (folder) => {
        const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
        writeFileSync(filePath, transcript(START));
        let wholeLoads = 0;
        const added = toolRows(kind, 'info', () => wholeLoads++);
        const engine = createEngine({
          configDir: folder,
          diagnostics: { ...diagnosticsFor(), checks: [...CHECKS, added] },
          createScanner: wasmScanners(),
        });
        const follower = engine.follow(filePath);
        const linesNow = async (): Promise<readonly number[] | undefined> => {
          const { result: scan } = await follower.read();
          assert.equal(scan.status, 'healthy');
          return scan.findings.find(({ code }) => code === CODE)?.lines;
        };
        assert.deepEqual(await linesNow(), [2, 3]);
        const seen: (readonly number[] | undefined)[] = [];
        for (const row of MORE) {
          appendFileSync(filePath, transcript([row]));
          seen.push(await linesNow());
        }
        follower.close();
        assert.deepEqual(seen, [
          [2, 3],
          [2, 3, 6],
          [2, 3, 6, 7],
          [2, 3, 6, 7],
        ]);
        // Earlier rows are loaded again only for a check that states that it uses all loaded rows.
        assert.equal(wholeLoads, kind === 'index' ? 1 : 1 + MORE.length);
      }));
  }

  it('does not prevent a fork, and is reported for the fork unless its finding is harmless', () =>
    withForkFixture(transcript(START), async ({ fork }) => {
      const forkWith = (severity: Severity): ReturnType<typeof fork> =>
        fork({}, undefined, { ...diagnosticsFor(), checks: [...CHECKS, toolRows('index', severity)] });
      const [info, error] = [await forkWith('info'), await forkWith('error')];
      assert.deepEqual([info.kind, error.kind], ['forked', 'forked']);
      assert.equal(info.kind === 'forked' ? info.warning : '', null);
      assert.equal(error.kind === 'forked' ? error.warning : '', '2 rows are about tools.');
    }));

  it('has a unique code', () => {
    const codes = CHECKS.map(({ code }) => code);
    assert.deepEqual([...new Set(codes)], codes);
  });
});

describe('The client version of an engine', () => {
  const scanners: Readonly<Record<string, ScannerFactory | undefined>> = { plain: undefined, fast: wasmScanners() };
  const gap = { timestamp: '2026-06-01T10:00:00.100Z' };
  const rows = [
    prompt('p1', null, { timestamp: '2026-06-01T10:00:00.000Z' }),
    reply('r1', 'p1', { timestamp: '2026-06-01T10:00:00.050Z' }),
    prompt('p2', 'lost', gap),
    reply('r2', 'p2', { timestamp: '2026-06-01T10:00:01.000Z' }),
  ];

  for (const [name, createScanner] of Object.entries(scanners)) {
    it(`determines its verdicts, followed sessions and repairs, with the ${name} scanner`, () =>
      withTemporaryFolder(async (folder) => {
        const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
        writeFileSync(filePath, transcript(rows));
        const loads = async (clientVersion?: string): Promise<readonly number[]> => {
          const engine = createEngine({
            configDir: folder,
            diagnostics: diagnosticsFor(clientVersion),
            ...(createScanner === undefined ? {} : { createScanner }),
          });
          const { result: scanned } = await engine.scan(filePath);
          const { result: repair } = await engine.planRepair(filePath);
          const follower = engine.follow(filePath);
          const { result: followed } = await follower.read();
          follower.close();
          return [scanned.resume.loads, followed.resume.loads, repair.resumeBefore.loads];
        };
        assert.deepEqual(await loads(), [4, 4, 4]);
        assert.deepEqual(await loads('2.1.91'), [4, 4, 4]);
        assert.deepEqual(await loads('2.1.90'), [2, 2, 2]);
      }));
  }

  it('determines the content of a fork', () =>
    withForkFixture(transcript(rows), async ({ fork }) => {
      const rowsOf = async (clientVersion?: string): Promise<number | null> => {
        const outcome = await fork({}, undefined, diagnosticsFor(clientVersion));
        return outcome.kind === 'forked' ? outcome.result.rowsCopied : null;
      };
      assert.deepEqual([await rowsOf(), await rowsOf('2.0.60')], [4, 2]);
    }));
});
