import assert from 'node:assert/strict';
import { Disposable, Emitter } from '../../../src/extension/lifetime';

class Owner extends Disposable {
  own(name: string, log: string[]): void {
    this._register({ dispose: () => log.push(name) });
  }
}

describe('A disposable owner', () => {
  it('disposes what it owns in reverse order, once', () => {
    const log: string[] = [];
    const owner = new Owner();
    owner.own('first', log);
    owner.own('second', log);
    owner.dispose();
    owner.dispose();
    assert.deepEqual(log, ['second', 'first']);
  });
  it('disposes at once what is registered too late', () => {
    const log: string[] = [];
    const owner = new Owner();
    owner.dispose();
    owner.own('late', log);
    assert.deepEqual(log, ['late']);
  });
});

describe('An emitter', () => {
  it('notifies all listeners, and none that were removed, even during an event', () => {
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
