import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { shellCommand } from '../../../../src/protocol/tools';

describe('A shell command', () => {
  it('passes each word unchanged', () => {
    const word = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...Array.from('\'"\\$`! *?[]{}()<>|&;#~=\n\t%éa')) }),
    );
    const words = fc.sample(
      word.filter((each) => !/[\0\ud800-\udfff]/u.test(each)),
      400,
    );
    const print = [
      process.execPath,
      '-e',
      'process.stdout.write(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...words,
    ];
    const printed = execFileSync('sh', ['-c', shellCommand(print, false)], { encoding: 'utf8' });
    assert.deepEqual(JSON.parse(printed), words);
  });

  it('leaves plain words unquoted', () => {
    assert.equal(shellCommand(['node', '/opt/x-1.0/cli.js', 'A=b'], false), 'node /opt/x-1.0/cli.js A=b');
    assert.equal(shellCommand(['', "it's"], false), `'' 'it'\\''s'`);
  });

  it('uses forward slashes in Windows paths, because a bash runs it', () => {
    const words = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\x\\cli.js'];
    assert.equal(shellCommand(words, true), '"C:/Program Files/nodejs/node.exe" C:/x/cli.js');
  });
});
