// @ts-check
// The damaged fixtures were recorded with words that say nothing. In a demo they are about something; what is damaged about
// them stays as it is. ASCII alone: the fixtures are handled as bytes.

/**
 * @typedef {object} DemoWords
 * @property {readonly [string, string, string, string, string]} prompts
 * @property {readonly [string, string]} answers   to the third prompt and to the last
 * @property {readonly [string, string, string]} said  the plan, what is done, and what was found out
 * @property {readonly [string, string, string]} files  in the place of a.txt, b.txt and c.txt
 * @property {readonly [string, string, string]} texts  what the first file holds, and after its edit; and the second one
 */

const TURNS = ['one', 'two', 'three', 'four', 'five'];

/** @type {Readonly<Record<string, DemoWords>>} */
const WORDS = {
  'Add a rain sensor': {
    prompts: [
      'Add a driver for the rain sensor: its bucket tips once for each 0.2 mm.',
      'A tip is a constant: write it like one, and show me both files.',
      'How long does the bucket need to come back after a tip?',
      'What does the driver count with now?',
      'Good. Is there anything left to do?',
    ],
    answers: [
      'About a fifth of a second. A second tip within 150 ms is the bucket bouncing, and is not counted.',
      'Only the calibration: pour a litre of water slowly, and compare.',
    ],
    said: ['The driver first, then its test.', 'The driver and its test are there.', 'It counts with TIP_MM = 0.2.'],
    files: ['rainSensor.ts', 'rainSensor.test.ts', 'notes.md'],
    texts: ['const tip = 0.2;', 'const TIP_MM = 0.2;', 'assert.equal(millimetres(5), 1);'],
  },
  'Fix the wind chart axis': {
    prompts: [
      'The axis of the wind chart ends at the first reading. Make it begin at zero.',
      'Call the limit what it is, and show me both files.',
      'Why did nobody notice on calm days?',
      'Which limit does the chart use now?',
      'Thanks. Does this need a note for the next release?',
    ],
    answers: [
      'On a calm day the first reading is near zero, so that both axes look the same.',
      'Yes, one line: the chart looks flatter than before, and is right.',
    ],
    said: ['The axis first, then its test.', 'The axis begins at zero.', 'It uses AXIS_FROM = 0.'],
    files: ['chartAxis.ts', 'chartAxis.test.ts', 'notes.md'],
    texts: ['const from = 0;', 'const AXIS_FROM = 0;', 'assert.equal(axis([3, 9]).from, 0);'],
  },
  'Import recipes from text files': {
    prompts: [
      'Read recipes from text files: a title, then one ingredient on each line.',
      'The separator deserves a name. Show me both files afterwards.',
      'What happens to a line without an amount?',
      'Which separator does it split at now?',
      'Good. What is missing?',
    ],
    answers: [
      'It becomes an ingredient without one: salt, for example.',
      'Steps of preparation: they are kept as text so far.',
    ],
    said: ['The reader first, then its test.', 'Recipes are read from text files.', 'It splits at SEPARATOR = "|".'],
    files: ['readRecipe.ts', 'readRecipe.test.ts', 'notes.md'],
    texts: ['const separator = 1;', 'const SEPARATOR = 1;', 'assert.equal(readRecipe(text).length, 2);'],
  },
};

/**
 * @param {string} title  of the demo session
 * @param {string} rows   of the fixture that it is made from
 * @returns {string}  the same for a session that has no words of its own
 */
export function withDemoWords(title, rows) {
  const words = WORDS[title];
  if (words === undefined) return rows;
  // They were recorded in a repository without a branch.
  const onBranch = rows.replaceAll('"gitBranch":"HEAD"', '"gitBranch":"main"');
  const [plan, done, found] = words.said;
  const [before, after, other] = words.texts;
  const [third, last] = words.answers;
  let told = onBranch
    .replaceAll('OK. (mock reply to: Turn three: plain question)', third)
    .replaceAll('OK. (mock reply to: Turn five: last plain question)', last);
  for (const [at, turn] of TURNS.entries()) {
    told = told.replace(new RegExp(`"Turn ${turn}: (?:[^"\\\\]|\\\\.)*"`, 'g'), () =>
      JSON.stringify(words.prompts[at]),
    );
  }
  const replacements = [
    ['I should create files.', plan],
    ['"Creating."', '"I will begin with the driver."'.replace('the driver', words.files[0])],
    ['Files created.', done],
    ['Edited a.', 'Both files are as they should be.'],
    ['done pondering', 'That is what the file says.'],
    ['"pondering"', '"The file itself knows best."'],
    ['It is ALPHA.', found],
    ['ls; echo hi > c.txt', `ls; echo checked > ${words.files[2]}`],
    ['"hi"', '"checked"'],
    ['a.txt', words.files[0]],
    ['b.txt', words.files[1]],
    ['c.txt', words.files[2]],
    ['alpha', before],
    ['ALPHA', after],
    ['beta', other],
  ];
  return replacements.reduce((text, [from = '', to = '']) => text.replaceAll(from, inJson(to, from)), told);
}

/**
 * @param {string} text
 * @param {string} replaced  quoted, where quotes are a part of it
 */
function inJson(text, replaced) {
  return replaced.startsWith('"') ? text : JSON.stringify(text).slice(1, -1);
}
