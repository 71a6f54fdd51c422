import assert from 'node:assert/strict';
import { RewoundSessions } from '../../../src/extension/history/rewoundSessions';
import { Emitter } from '../../../src/extension/lifetime';
import { RecordedLog } from './fakes';
import { FakeRewinds } from './rewindFakes';

describe('The sessions with a rewind that can be undone', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('are requested after the sessions were listed, and again on request', async () => {
    const rewinds = new FakeRewinds();
    rewinds.rewound = ['a'];
    const listed = new Emitter<void>();
    let isListed = false;
    const log = new RecordedLog();
    const rewound = new RewoundSessions({ rewinds, onListed: listed.event, isListed: () => isListed, log });
    let changes = 0;
    rewound.onChange(() => changes++);
    listed.fire();
    assert.deepEqual(rewinds.calls, []);
    isListed = true;
    listed.fire();
    listed.fire();
    await settled();
    assert.deepEqual(rewinds.calls, ['rewoundSessions']);
    assert.deepEqual([rewound.has('a'), rewound.has('b'), rewound.isEmpty, changes], [true, false, false, 1]);
    await rewound.refresh();
    assert.equal(changes, 1);
    rewinds.rewound = [];
    await rewound.refresh();
    assert.deepEqual([rewound.has('a'), rewound.isEmpty, changes], [false, true, 2]);
  });

  it('stay unchanged when the request fails', async () => {
    const rewinds = new FakeRewinds();
    rewinds.rewound = ['a'];
    const log = new RecordedLog();
    const rewound = new RewoundSessions({ rewinds, onListed: new Emitter<void>().event, isListed: () => true, log });
    await rewound.refresh();
    rewinds.rewoundSessions = () => Promise.reject(new Error('gone'));
    await rewound.refresh();
    assert.ok(rewound.has('a'));
    assert.ok(log.lines.some((line) => line.includes('gone')));
  });
});
