import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diagnosticsFor } from '../rooms/diagnose';
import { readPreflight } from '../rooms/preflight';
import { PriceBook } from '../rooms/usage';
import { createPacer } from '../rooms/util';
import { findClient } from '../support/findClient';
import { type MockApi, startMockApi } from '../support/mockApi';
import { resumeWithRealClient } from '../support/realClient';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../support/temporaryFolder';
import {
  assistant,
  boundary,
  chainRow,
  prompt,
  result,
  type RowFields,
  transcript,
} from '../support/transcriptBuilder';
import { plainScanner } from '../support/plainScanner';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CRON = '*/10 * * * *';
const TOLD_MS = Date.now();

const ago = (ms: number): string => new Date(TOLD_MS - ms).toISOString();

/** The minute that is so many hours from now, on this day alone. */
function cronIn(hours: number): string {
  const time = new Date(TOLD_MS + hours * HOUR_MS);
  return [time.getMinutes(), time.getHours(), time.getDate(), time.getMonth() + 1, '*'].join(' ');
}

/** A turn in which Claude calls a tool. It continues the turn with the name `after`. */
function turn(
  name: string,
  after: string | null,
  tool: { readonly name: string; readonly input: object; readonly result: object; readonly ageMs?: number },
): readonly RowFields[] {
  const timestamp = ago(tool.ageMs ?? HOUR_MS);
  const call = { type: 'tool_use', id: `toolu_${name}`, name: tool.name, input: tool.input };
  return [
    prompt(`p${name}`, after === null ? null : `r${after}`, { timestamp }),
    assistant(name, `p${name}`, [call], { timestamp }),
    result(`r${name}`, name, `toolu_${name}`, { toolUseResult: tool.result, timestamp }),
  ];
}

const cron = (id: string, details: object, cronText = CRON, ageMs = HOUR_MS) => {
  const input = { cron: cronText, prompt: id };
  return { name: 'CronCreate', input, result: { id, recurring: true, ...details }, ageMs };
};

const TURNS: readonly RowFields[] = [
  ...turn('a', null, cron('aaaaaaaa', { humanSchedule: 'Every 10 minutes' })),
  ...turn('b', 'a', cron('bbbbbbbb', {}, CRON, 8 * DAY_MS)),
  ...turn('c', 'b', cron('cccccccc', { maxAgeMs: 20 * DAY_MS }, CRON, 8 * DAY_MS)),
  ...turn('d', 'c', cron('dddddddd', { recurring: false }, cronIn(5))),
  ...turn('e', 'd', cron('eeeeeeee', { recurring: false }, cronIn(-2), 3 * HOUR_MS)),
  ...turn('f', 'e', cron('ffffffff', { durable: true })),
  ...turn('g', 'f', cron('99999999', {})),
  ...turn('h', 'g', { name: 'CronDelete', input: { id: '99999999' }, result: { id: '99999999' } }),
  ...turn('i', 'h', {
    name: 'ScheduleWakeup',
    input: { delaySeconds: 3000, prompt: '/loop x', reason: 'x' },
    result: { scheduledFor: TOLD_MS + HOUR_MS, clampedDelaySeconds: 3000, wasClamped: false },
  }),
  ...turn('j', 'i', {
    name: 'Bash',
    input: { command: 'sleep 1000', run_in_background: true },
    result: { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1234567' },
  }),
  assistant('z', 'rj', [{ type: 'text', text: 'Done.' }], { timestamp: ago(HOUR_MS) }),
];

const TASK = { id: 'aaaaaaaa', cron: CRON, prompt: 'aaaaaaaa', createdAt: TOLD_MS - HOUR_MS, recurring: true };
const NOTE = { type: 'session_cron_carry', tasks: [TASK], ended: ['cccccccc'] };
const COMPACTED: readonly RowFields[] = [
  ...TURNS,
  boundary('k', null),
  prompt('l', 'k', { isCompactSummary: true, timestamp: ago(HOUR_MS / 2) }),
  chainRow('attachment', 'm', 'l', { attachment: NOTE, timestamp: ago(HOUR_MS / 2) }),
  assistant('n', 'm', [{ type: 'text', text: 'Go on.' }], { timestamp: ago(HOUR_MS / 2) }),
];

describe('The real client schedules the prompts again that a preflight names, and starts nothing else', () => {
  let api: MockApi;

  before(async () => {
    api = await startMockApi();
  });

  after(async () => {
    await api.close();
  });

  for (const version of ['2.1.250', '2.1.330']) {
    for (const [what, rows, count] of [
      ['all kinds of them', TURNS, version === '2.1.250' ? 2 : 3],
      ['those that a compaction noted', COMPACTED, version === '2.1.250' ? 0 : 1],
    ] as const) {
      it(`${version}: ${what}`, async function () {
        this.timeout(120_000);
        const client = await skipWhenUnavailable(this, () => findClient(version));
        await withTemporaryFolder(async (folder) => {
          const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
          const heard = join(folder, 'stop.json');
          await writeFile(filePath, transcript(rows));
          const hooks = { Stop: [{ hooks: [{ type: 'command', command: `cat > '${heard}'` }] }] };
          const { exitCode } = await resumeWithRealClient(filePath, { client, api, settings: { hooks } });
          assert.equal(exitCode, 0);
          // SAFETY: the client's input of the hook; its values are compared here.
          const { session_crons: scheduled, background_tasks: running } = JSON.parse(await readFile(heard, 'utf8')) as {
            session_crons: readonly { readonly id: string }[];
            background_tasks: readonly unknown[];
          };
          const answer = await readPreflight(filePath, {
            createScanner: plainScanner,
            pacer: createPacer(10),
            diagnostics: diagnosticsFor(version),
            prices: new PriceBook({}),
            nowMs: Date.now(),
          });
          assert.ok(answer.kind === 'preflight');
          assert.deepEqual(
            answer.preflight.rearms.map(({ id }) => id),
            scheduled.map(({ id }) => id),
          );
          assert.equal(scheduled.length, count);
          assert.deepEqual(running, []);
        });
      });
    }
  }
});
