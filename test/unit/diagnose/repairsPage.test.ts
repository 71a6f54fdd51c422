import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../rooms/diagnose';
import { REQUEST_RULES } from '../../rooms/providers';

describe('docs/repairs.md, to which findings lead', () => {
  const page = readFileSync(join(__dirname, '../../../docs/repairs.md'), 'utf8');
  const sections = [...page.matchAll(/^## (\S+)$/gm)].map(([, code]) => code);
  const ofRequest = Object.values(REQUEST_RULES).map(({ code }) => code);
  const codes = new Set<string>([...CHECKS.map(({ code }) => code), ...ofRequest, 'request-refused']);

  for (const code of codes) {
    it(`has a section about ${code}`, () => {
      assert.equal(sections.filter((section) => section === code).length, 1);
    });
  }

  it('has no section about anything else', () => {
    assert.deepEqual(
      sections.filter((section) => !codes.has(section ?? '')),
      [],
    );
  });
});
