// @ts-check
// The VS Code releases that the tests run on. code-server 4.N.P holds VS Code 1.N.P and wants one Node major; both
// come from npm. Not every release can be had there: some of code-server's depend on GitHub tarballs.

/**
 * @typedef {object} VscodeRelease
 * @property {string} vscode      major.minor
 * @property {string} codeServer  version of the npm package `code-server`
 * @property {string} node        version of the npm package `node-linux-<arch>`
 */

/** @type {VscodeRelease} */
export const NEWEST = { vscode: '1.139', codeServer: '4.139.1', node: '24.21.0' };

/** The floor of `engines.vscode`. @type {VscodeRelease} */
const OLDEST = { vscode: '1.100', codeServer: '4.100.3', node: '20.19.5' };

export const VSCODE_RELEASES = [NEWEST, OLDEST];
