import assert from 'node:assert/strict';
import { Disposable, Emitter } from '../../../src/extension/lifetime';

class Owner extends Disposable {
  own(name: string, log: string[]): void {
    this._register({ dispose: () => log.push(name) });
  }
}

describe('what owns things', () => {
  it('lets go of them in reverse order, once', () => {
    const log: string[] = [];
    const owner = new Owner();
    owner.own('first', log);
    owner.own('second', log);
    owner.dispose();
    owner.dispose();
    assert.deepEqual(log, ['second', 'first']);
  });
  it('lets go at once of what it is given too late', () => {
    const log: string[] = [];
    const owner = new Owner();
    owner.dispose();
    owner.own('late', log);
    assert.deepEqual(log, ['late']);
  });
});

describe('an emitter', () => {
  it('tells all who listen, and none who stopped, though they stop while it tells', () => {
    const heard: string[] = [];
    const emitter = new Emitter<string>();
    const first = emitter.event((value) => {
      heard.push(`first ${value}`);
      first.dispose();
    });
    emitter.event((value) => heard.push(`second ${value}`));
    emitter.fire('a');
    emitter.fire('b');
    assert.deepEqual(heard, ['first a', 'second a', 'second b']);
  });
});
