import fc from 'fast-check';
import { CHECKS } from '../../../rooms/diagnose';
import type { FileStamp } from '../../../rooms/util';
import type { ScannedSession } from '../../../../src/protocol/session';

/** Plain objects, as scans make them. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

/** Any string of UTF-16 units, including lone surrogates, which cutting a title may leave. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);
const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const lines = fc.array(fc.integer({ min: 1, max: 2 ** 31 }), { maxLength: 5 });
/** Any finite number except -0, as `Date.parse` returns no others. */
const time = fc.double({ noNaN: true, noDefaultInfinity: true }).map((ms) => ms + 0);
const nanoseconds = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n });

export const anyStamp: fc.Arbitrary<FileStamp> = record({
  size: fc.maxSafeNat(),
  mtimeMs: fc.maxSafeNat(),
  mtimeNs: nanoseconds,
  ctimeNs: nanoseconds,
  inode: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  bornMs: fc.maxSafeNat(),
  isFolder: fc.boolean(),
});

export const anyPath: fc.Arbitrary<string> = fc.oneof(
  fc.uuid().map((id) => `/home/person/.claude/projects/-work/${id}.jsonl`),
  text,
);

/** The cache holds the verdicts of one client. */
const reader = { client: fc.constant('2.1.330'), isExact: fc.constant(true) };

/** A session that was read; its id and path are now and then not those of its file. */
export function anySession(path: string): fc.Arbitrary<ScannedSession> {
  const id = path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl$/, '');
  const finding = record({
    code: fc.constantFrom(...CHECKS.map(({ code }) => code)),
    severity: fc.constantFrom('error', 'warning', 'info'),
    action: fc.constantFrom('auto', 'ask', 'tell'),
    lines,
    uuids: fc.array(text, { maxLength: 3 }),
    message: text,
  });
  return record({
    result: record({
      sessionId: fc.oneof({ weight: 4, arbitrary: fc.constant(id) }, text),
      filePath: fc.oneof({ weight: 4, arbitrary: fc.constant(path) }, text),
      provider: fc.constant('claude'),
      status: fc.constantFrom('healthy', 'corrupted'),
      chainDepth: count,
      orphanCount: count,
      fileSize: fc.maxSafeNat(),
      messageCount: count,
      resume: record({ loads: count, of: count, leafUuid: fc.option(text), missingLines: lines, ...reader }),
      findings: fc.array(finding, { maxLength: 3 }),
    }),
    metadata: record({
      title: fc.option(text),
      cwd: fc.option(text),
      model: fc.option(text),
      gitBranch: fc.option(text),
      clientVersion: fc.option(text),
      lastMessageMs: fc.option(time),
      parentSessionId: fc.option(text),
      createdMs: fc.option(time),
    }),
    problem: fc.constant(null),
  });
}
