import assert from 'node:assert/strict';
import * as vscode from 'vscode';
describe('host', () => {
  it('runs', () => {
    assert.ok(vscode.version);
  });
});
