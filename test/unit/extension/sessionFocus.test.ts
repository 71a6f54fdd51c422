import assert from 'node:assert/strict';
import { sessionFocus } from '../../../src/extension/sessions/currentSession';

const tab = (filePath: string | null, isActive = false) => ({ filePath, isActive });

describe('The sessions that the person is viewing', () => {
  it('are those of the focused tab, of other visible tabs, and of background tabs', () => {
    const focus = sessionFocus([
      { isActive: false, tabs: [tab('/behind.jsonl'), tab('/beside.jsonl', true)] },
      { isActive: true, tabs: [tab('/focused.jsonl', true), tab('/behind-2.jsonl')] },
    ]);
    assert.deepEqual(focus, {
      active: ['/focused.jsonl'],
      visible: ['/beside.jsonl'],
      background: ['/behind.jsonl', '/behind-2.jsonl'],
    });
  });
  it('include those of panels', () => {
    const groups = [{ isActive: true, tabs: [tab('/behind.jsonl')] }];
    const focus = sessionFocus(groups, [
      { filePath: '/panel.jsonl', place: 'active' },
      { filePath: '/panel-beside.jsonl', place: 'visible' },
      { filePath: '/panel-behind.jsonl', place: 'background' },
    ]);
    assert.deepEqual(focus, {
      active: ['/panel.jsonl'],
      visible: ['/panel-beside.jsonl'],
      background: ['/panel-behind.jsonl', '/behind.jsonl'],
    });
  });
  it('are empty if the tabs show something else', () => {
    assert.deepEqual(sessionFocus([{ isActive: true, tabs: [tab(null, true), tab(null)] }]), {
      active: [],
      visible: [],
      background: [],
    });
  });
});
