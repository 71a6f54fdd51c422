import assert from 'node:assert/strict';
import { newestMeasured } from '../../../scripts/setupClient.mjs';
import { diagnosticsFor } from '../../rooms/diagnose';
import { clientFor, loaderRules, NEWEST_MEASURED } from '../../rooms/loader';
import { verdictFor } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import { chainRow, transcript } from '../../support/transcriptBuilder';

describe('The client that a verdict speaks for', () => {
  it('is the newest measured one if nobody names another', () => {
    assert.equal(clientFor().version, NEWEST_MEASURED);
    assert.equal(diagnosticsFor().client.version, NEWEST_MEASURED);
  });

  it('is also the one that the tests download', () => {
    assert.equal(newestMeasured(), NEWEST_MEASURED);
  });

  const standings = [
    ['1.0.120', 'older'],
    ['2.0.60', 'older'],
    ['2.1.50', 'older'],
    ['2.1.100', 'older'],
    ['2.1.101', 'between'],
    ['2.1.249', 'between'],
    ['2.1.250', 'exact'],
    ['2.1.299', 'exact'],
    [NEWEST_MEASURED, 'exact'],
    ['2.1.331', 'newer'],
    ['2.2.0', 'newer'],
    ['3.0.0', 'newer'],
  ] as const;
  for (const [version, standing] of standings) {
    it(`is known as ${standing} if it is ${version}`, () => {
      const client = clientFor(version);
      assert.deepEqual([client.standing, client.isExact], [standing, standing === 'exact']);
      assert.equal(client.limits.length > 0, standing === 'older');
    });
  }

  it('has the newest rules if it is newer than every measured one', () => {
    assert.deepEqual(clientFor('9.9.9').rules, loaderRules(NEWEST_MEASURED));
  });

  it('is known to lose more, the older it is', () => {
    assert.deepEqual(clientFor('2.1.100').limits, ['nul-lines', 'glued-lines']);
    assert.deepEqual(clientFor('2.1.90').limits, ['no-healing', 'nul-lines', 'glued-lines']);
    assert.deepEqual(clientFor('2.1.50').limits.slice(3), ['parallel-results', 'leaf-by-time']);
    assert.equal(clientFor('2.1.90').rules.selfHealMs, 0);
    assert.equal(clientFor('2.1.79').rules.recoversParallelCalls, false);
  });

  it('does not continue with Sonnet 4.5 from the day of its retirement on, if it knows of it', () => {
    const [before, after] = [new Date(2026, 10, 29, 23, 59), new Date(2026, 10, 30, 0, 1)].map(Number);
    const models = (version: string, at?: number): readonly string[] => clientFor(version, at).rules.retiredModels;
    assert.deepEqual([models('2.1.329', before), models('2.1.328', after)], [[], []]);
    assert.deepEqual(models('2.1.329', after), ['claude-sonnet-4-5']);
    assert.deepEqual(diagnosticsFor('2.1.330', before).rules.retiredModels, []);
    assert.deepEqual(models('2.1.330'), models('2.1.330', Date.now()));
  });

  it('is as exact for files over 5 MiB as for others', () => {
    const index = scanBytes(`${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(5 * 1024 * 1024) })}\n`);
    const isExact = ['2.1.249', '2.1.250', NEWEST_MEASURED].map((of) => verdictFor(index, of).result.resume.isExact);
    assert.deepEqual(isExact, [false, true, true]);
  });

  it('is named by the verdict, with whether it is exact', () => {
    const index = scanBytes(transcript([chainRow('user', 'a', null, { message: { content: 'x' } })]));
    for (const version of ['2.1.330', '2.1.50']) {
      const { client, isExact } = verdictFor(index, version).result.resume;
      assert.deepEqual([client, isExact], [version, version === '2.1.330']);
    }
  });
});
