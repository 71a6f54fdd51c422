// @ts-check
// Conversations about a weather station that nobody runs: what every kind of row looks like to a reader.
import { demoPicture } from './demoPicture.mjs';
import { DEMO_CWD, DemoTranscript } from './demoTranscript.mjs';

const MAP_FILE = `${DEMO_CWD}/src/windMap.ts`;
const SCOUT = 'a5c0u7d3m0a9e0717';

const MAP_BEFORE = `import type { Reading } from './readings';

/** One line for each station. */
export function describeWind(readings: readonly Reading[]): string[] {
  return readings.map((reading) => \`\${reading.station}: \${reading.windMs} m/s\`);
}

export function strongest(readings: readonly Reading[]): Reading | undefined {
  return readings.toSorted((a, b) => b.windMs - a.windMs)[0];
}
`;
const OLD_LINES = `/** One line for each station. */
export function describeWind(readings: readonly Reading[]): string[] {
  return readings.map((reading) => \`\${reading.station}: \${reading.windMs} m/s\`);
}`;
const NEW_LINES = `const STORM_MS = 24.5;

/** One arrow for each station: it points to where the wind goes. */
export function windArrows(readings: readonly Reading[]): Arrow[] {
  return readings.map(({ station, windMs, windFrom }) => ({
    station,
    degrees: (windFrom + 180) % 360,
    isStorm: windMs >= STORM_MS,
  }));
}`;
const MAP_AFTER = MAP_BEFORE.replace(OLD_LINES, NEW_LINES);

const TESTS_RUN = [
  '',
  '\u001b[1m> weather-station@1.4.0 test\u001b[0m',
  '',
  '  \u001b[1mWind map\u001b[0m',
  '    \u001b[32m✔\u001b[0m \u001b[90mpoints to where the wind goes\u001b[0m',
  '    \u001b[32m✔\u001b[0m \u001b[90mgoes on from 359° at 0°\u001b[0m',
  '    \u001b[31m1) colours storms\u001b[0m',
  '',
  '  \u001b[32m2 passing\u001b[0m \u001b[90m(18ms)\u001b[0m',
  '  \u001b[31m1 failing\u001b[0m',
  '',
  '  1) Wind map colours storms:',
  '     \u001b[31m-\u001b[0m expected \u001b[32mred\u001b[0m',
  '     \u001b[31m+\u001b[0m was \u001b[41m blue \u001b[0m',
].join('\n');
const TESTS_PASS = TESTS_RUN.slice(0, TESTS_RUN.indexOf('    \u001b[31m1)')).concat(
  '    \u001b[32m✔\u001b[0m \u001b[90mcolours storms\u001b[0m\n\n  \u001b[32m3 passing\u001b[0m \u001b[90m(19ms)\u001b[0m',
);

/**
 * @typedef {object} DemoConversation
 * @property {string} title
 * @property {number} age  in minutes
 * @property {string} rows
 * @property {{ agentId: string, rows: string, meta: object }[]} subagents
 */

/** What the conversations left on the disk, by paths within the project. */
export const DEMO_FILES = {
  'src/windMap.ts': MAP_AFTER.replace(
    "import type { Reading } from './readings';",
    "import type { Arrow, Reading } from './readings';",
  ),
  'src/readings.ts': `export interface Reading {
  readonly station: string;
  readonly windMs: number;
  /** Degrees; 0: from the north. */
  readonly windFrom: number;
}
`,
};

/** @returns {DemoConversation[]} all of them healthy, and of the first project */
export function demoConversations() {
  return [windOnTheMap(), yearOfReadings(), roundedSpeeds()];
}

/** Tools of every kind. */
function windOnTheMap() {
  const talk = new DemoTranscript('wind');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: demoPicture() } };
  talk.prompt([
    {
      type: 'text',
      text: 'The station page lists the wind as numbers. Show it as arrows on the map, and storms in red. Like this sketch:',
    },
    image,
  ]);
  talk.think(
    'The sketch has one arrow for each station. I need the direction of the wind, which the list does not show so far.',
  );
  talk.reply('I will look at how the page gets its readings, and then draw the arrows.');
  talk.call('TodoWrite', todos('in_progress', 'pending', 'pending'), {
    content: 'Todos have been modified successfully.',
  });
  talk.call(
    'Grep',
    { pattern: 'windFrom|windMs', path: `${DEMO_CWD}/src`, output_mode: 'content' },
    {
      content:
        'src/readings.ts:3:  readonly windMs: number;\nsrc/readings.ts:5:  readonly windFrom: number;\nsrc/windMap.ts:5:  return readings.map((reading) => `${reading.station}: ${reading.windMs} m/s`);',
    },
  );
  talk.call(
    'Read',
    { file_path: MAP_FILE },
    { content: numbered(MAP_BEFORE), details: { type: 'text', file: { filePath: MAP_FILE, content: MAP_BEFORE } } },
  );
  const scout = scoutsReport();
  const scoutCall = talk.call(
    'Task',
    {
      description: 'Find where directions come from',
      prompt:
        'Find out which way `windFrom` points: where the wind comes from, or where it goes. Look at the sensor driver. Change nothing.',
      subagent_type: 'Explore',
    },
    {
      content: [
        { type: 'text', text: 'In `src/driver.ts` 0° is a wind **from** the north, and degrees go clockwise.' },
      ],
      details: { agentId: SCOUT, status: 'completed', totalDurationMs: 8400, totalToolUseCount: 2 },
    },
  );
  talk.reply('`windFrom` says where the wind comes from, so an arrow points the other way.');
  talk.call(
    'Edit',
    { file_path: MAP_FILE, old_string: OLD_LINES, new_string: NEW_LINES, replace_all: false },
    {
      content: `The file ${MAP_FILE} has been updated successfully.`,
      details: {
        filePath: MAP_FILE,
        oldString: OLD_LINES,
        newString: NEW_LINES,
        originalFile: MAP_BEFORE,
        structuredPatch: [
          {
            oldStart: 1,
            oldLines: 9,
            newStart: 1,
            newLines: 15,
            lines: [
              " import type { Reading } from './readings';",
              ' ',
              ...OLD_LINES.split('\n').map((line) => `-${line}`),
              ...NEW_LINES.split('\n').map((line) => `+${line}`),
              ' ',
              ' export function strongest(readings: readonly Reading[]): Reading | undefined {',
              '   return readings.toSorted((a, b) => b.windMs - a.windMs)[0];',
            ],
          },
        ],
      },
    },
  );
  talk.call('Bash', { command: 'npm test', description: 'Run the tests' }, { content: TESTS_RUN, isError: true });
  talk.call(
    'Edit',
    {
      file_path: `${DEMO_CWD}/src/mapPage.ts`,
      old_string: "  colour: 'blue',",
      new_string: "  colour: arrow.isStorm ? 'red' : 'blue',",
    },
    { content: `The file ${DEMO_CWD}/src/mapPage.ts has been updated successfully.` },
  );
  talk.call('Bash', { command: 'npm test', description: 'Run the tests again' }, { content: TESTS_PASS });
  talk.call('TodoWrite', todos('completed', 'completed', 'in_progress'), {
    content: 'Todos have been modified successfully.',
  });
  talk.reply(`The map shows an **arrow for each station**, and storms are red.

| station | wind | arrow |
| --- | ---: | --- |
| Harbour | 14 m/s | blue |
| Hill | 21 m/s | blue |
| Lighthouse | 26 m/s | red |

\`\`\`ts
windArrows(readings).filter(({ isStorm }) => isStorm);
\`\`\`

What is left is the legend of the map.`);
  talk.prompt('Good. How do other weather services colour their storms?');
  talk.call(
    'WebSearch',
    { query: 'wind map storm colour scale' },
    { content: 'Most scales go from blue over yellow to red, with red from 24.5 m/s: Beaufort 10.' },
  );
  talk.call(
    'mcp__almanac__lookup',
    { scale: 'beaufort', from: 9, to: 11 },
    { content: '[{"force":9,"fromMs":20.8},{"force":10,"fromMs":24.5},{"force":11,"fromMs":28.5}]' },
  );
  talk.reply('As we do: red from 24.5 m/s on, which is **Beaufort 10**. Below, most of them go from blue to yellow.');
  const meta = { agentType: 'Explore', description: 'Find where directions come from', toolUseId: scoutCall };
  return {
    title: 'Show the wind on a map',
    age: 26,
    rows: talk.text(),
    subagents: [{ agentId: SCOUT, rows: scout.text(), meta }],
  };
}

function scoutsReport() {
  const scout = new DemoTranscript('scout', SCOUT);
  scout.prompt(
    'Find out which way `windFrom` points: where the wind comes from, or where it goes. Look at the sensor driver. Change nothing.',
  );
  scout.call('Glob', { pattern: 'src/**/driver*' }, { content: `${DEMO_CWD}/src/driver.ts` });
  scout.call(
    'Read',
    { file_path: `${DEMO_CWD}/src/driver.ts`, limit: 4 },
    {
      content: numbered(
        '/** The vane: 0 is a wind from the north, clockwise. */\nexport function readVane(volts: number): number {\n  return Math.round(volts * 72) % 360;\n}\n',
      ),
    },
  );
  scout.reply('In `src/driver.ts` 0° is a wind **from** the north, and degrees go clockwise.');
  return scout;
}

/** Compacted in the middle. */
function yearOfReadings() {
  const talk = new DemoTranscript('year');
  talk.prompt('The station forgets readings after a week. Can it keep a year of them?');
  talk.reply('It can: a reading a minute is 525,600 rows a year, about 20 MB. A table of its own will do.');
  talk.call(
    'Write',
    {
      file_path: `${DEMO_CWD}/src/schema.sql`,
      content:
        'CREATE TABLE reading (\n  at INTEGER PRIMARY KEY,\n  station TEXT NOT NULL,\n  wind_ms REAL NOT NULL\n);\n',
    },
    { content: `File created successfully at: ${DEMO_CWD}/src/schema.sql` },
  );
  talk.reply('The table is there. Readings older than a year go once a day.');
  talk.prompt('Fill it with the readings of last week.');
  talk.call(
    'Bash',
    { command: 'node scripts/import.js --days 7', description: 'Import last week' },
    { content: '10080 readings imported' },
  );
  talk.reply('Done: 10,080 readings, none of them twice.');
  talk.compact(
    '1. **What was asked**: keep readings for a year instead of a week.\n2. **What was done**: a table `reading` in `src/schema.sql`; old rows go once a day; last week was imported (10,080 readings).\n3. **What is next**: the page still reads the old file.',
    142_300,
  );
  talk.prompt('Now let the page read from the table.');
  talk.reply('The page asks for the days that it shows, and gets them from the table in 4 ms.');
  return { title: 'Keep a year of readings', age: 65, rows: talk.text(), subagents: [] };
}

/** Went on in three ways from one reply. */
function roundedSpeeds() {
  const talk = new DemoTranscript('round');
  talk.prompt('The page shows 14.3999998 m/s. Round the speeds.');
  talk.reply('To whole metres per second, or to one decimal?');
  const question = talk.leaf;
  talk.prompt('Whole numbers.');
  talk.reply('Done: the page says 14 m/s. A storm of 24.4 m/s would show as 24, though.');
  talk.prompt('Hm, that hides storms.');
  talk.reply('It would. One decimal keeps them apart.');
  talk.goBackTo(question);
  talk.prompt('Show knots instead.');
  talk.reply('14.4 m/s are 28 kn. The sensors are calibrated in m/s, so a note says how it was converted.');
  talk.goBackTo(question);
  talk.prompt('One decimal, and keep the full value in the table.');
  talk.reply('The page says 14.4 m/s, and the table keeps what the sensor measured.');
  return { title: 'Round the wind speed', age: 130, rows: talk.text(), subagents: [] };
}

/** @param {...string} statuses */
function todos(...statuses) {
  const texts = ['Find out what the readings hold', 'Draw an arrow for each station', 'Add a legend to the map'];
  return { todos: texts.map((content, at) => ({ content, status: statuses[at], activeForm: content })) };
}

/** @param {string} text */
function numbered(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
    .join('\n');
}
