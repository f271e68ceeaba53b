// Uses the pages of a site as people do, in headless Chromium, and prints what it saw as JSON: `node site.mjs '{…}'` with
//
//   tools      where playwright-core and axe-core are installed
//   dir        the directory of a site, which is opened from the disk and served below a path; or
//   url        the address of a running server
//   query      what is typed, a key at a time
//   skill      a skill whose page is opened
//   pages      further pages that axe-core checks, relative to the site
//   filter     the label of a filter that is clicked, such as "MIT"
//   shots      a directory for screenshots; none if it is missing
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const job = JSON.parse(process.argv[2]);
const require = createRequire(path.join(job.tools, 'node_modules/'));
const { chromium } = require('playwright-core');
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };
const BELOW = '/team/site/';

// Serves the directory as any web server does, below a path.
async function serve(dir) {
  const server = createServer(async (request, response) => {
    const place = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const file = path.join(dir, place.startsWith(BELOW) ? place.slice(BELOW.length) : 'missing');
    try {
      const bytes = await readFile(file.endsWith('/') ? `${file}index.html` : file);
      response.writeHead(200, { 'content-type': TYPES[path.extname(file) || '.html'] || 'application/octet-stream' });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { server, url: `http://127.0.0.1:${server.address().port}${BELOW}` };
}

const home = await mkdtemp(path.join(tmpdir(), 'skillpm-browser-'));
const browser = await chromium.launch({
  executablePath: job.chromium,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-features=BackForwardCache'],
  env: { ...process.env, HOME: home },
});

// A page, and everything that it did: requests with their sizes, errors, dialogs.
async function open(options = {}) {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await context.newPage();
  const log = { requests: [], errors: [], bytes: [] };
  page.on('request', request => log.requests.push(request.url()));
  page.on('response', response => log.bytes.push(response.body().then(body => body.length, () => 0)));
  // A request that the next page of the visit cut short did not fail.
  page.on('requestfailed', request => {
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') log.errors.push(`failed: ${request.url()}`);
  });
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) log.errors.push(message.text()); });
  page.on('pageerror', error => log.errors.push(String(error)));
  page.on('dialog', dialog => { log.errors.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  return { context, page, log };
}

const sizes = async log => (await Promise.all(log.bytes.splice(0)));
const sum = numbers => numbers.reduce((total, one) => total + one, 0);
const idle = page => page.waitForLoadState('networkidle');
const hits = page => page.$$eval('#hits h3 a', links => links.map(link => link.textContent));
const settled = page => page.waitForFunction(() => !document.querySelector('#results').hidden && document.querySelector('#count').textContent);
const shot = async (page, name) => { if (job.shots) await page.screenshot({ path: path.join(job.shots, `${name}.png`), fullPage: false }); };

async function violations(page) {
  // By the protocol and not by a tag: the pages allow no script but their own.
  await page.evaluate(axe);
  const result = await page.evaluate(() => self.axe.run());
  return result.violations.map(one => `${one.id}: ${one.nodes.map(node => node.target.join(' ')).slice(0, 3).join(', ')}`);
}

async function search(base) {
  const { context, page, log } = await open();
  await page.goto(`${base}index.html`);
  await idle(page);
  const facts = { first: { requests: log.requests.length, bytes: sum(await sizes(log)) } };
  await shot(page, 'home');

  log.requests.length = 0;
  await page.keyboard.press('/');
  facts.focused = await page.evaluate(() => document.activeElement.id);
  const steps = [];
  for (const key of job.query) {
    await page.keyboard.type(key);
    await settled(page);
    await idle(page);
    steps.push(await sizes(log));
  }
  facts.typed = {
    hits: (await hits(page)).slice(0, 5),
    count: await page.textContent('#count'),
    text: await page.textContent('#hits'),
    requests: log.requests.length,
    bytes: sum(steps.flat()),
    largest: Math.max(0, ...steps.flat()),
    hash: await page.evaluate(() => location.hash),
  };
  await shot(page, 'results');

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  facts.arrow = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/skills/**');
  facts.opened = page.url().slice(base.length);
  await idle(page);
  await page.goBack({ waitUntil: 'commit' });
  await page.waitForSelector('#hits h3 a');
  await settled(page);
  await idle(page);
  facts.back = (await hits(page)).slice(0, 5);

  await page.fill('#q', 'qqqqzzzz');
  await page.waitForFunction(() => document.querySelector('#count').textContent.startsWith('No'));
  facts.none = await page.textContent('#count');
  facts.errors = log.errors;
  facts.others = log.requests.filter(url => !url.startsWith(base));
  await context.close();
  return facts;
}

async function filters(base) {
  const { context, page, log } = await open();
  await page.goto(`${base}index.html`);
  await page.waitForSelector('#filters input');
  await page.locator('#filters label', { hasText: job.filter }).first().locator('input').click();
  await settled(page);
  const facts = { count: await page.textContent('#count'), hash: await page.evaluate(() => location.hash) };
  await shot(page, 'filtered');

  // What was shared is found again.
  const shared = await open();
  await shared.page.goto(`${base}index.html${facts.hash}`);
  await settled(shared.page);
  facts.shared = await shared.page.textContent('#count');
  await shared.context.close();

  await page.locator('#active button').first().click();
  await page.waitForFunction(() => document.querySelector('#results').hidden);
  facts.errors = log.errors;
  await context.close();
  return facts;
}

async function skillPage(base) {
  const { context, page, log } = await open();
  await page.goto(`${base}skills/${job.skill}/index.html`);
  await idle(page);
  await shot(page, 'skill');
  await page.locator('[data-copy]').first().click();
  const facts = {
    shown: await page.locator('.command code').first().textContent(),
    pwned: await page.evaluate(() => String(self.pwned)),
  };
  // A browser without permission selects the text instead.
  facts.copied = await page.evaluate(() => navigator.clipboard.readText()).catch(() => String(''));
  facts.status = await page.locator('[data-copy]').first().textContent();
  facts.badge = await page.$eval('img[src="badge.svg"]', image => image.naturalWidth > 0);

  await page.fill('#q', job.query);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/index.html#q=*');
  await settled(page);
  facts.searched = (await hits(page)).slice(0, 5);
  facts.errors = log.errors;
  facts.others = log.requests.filter(url => !url.startsWith(base));
  await context.close();
  return facts;
}

async function accessibility(base) {
  const pages = ['index.html', `index.html#q=${job.query}`, `skills/${job.skill}/index.html`, ...job.pages];
  const found = {};
  for (const [name, options] of Object.entries({
    light: { colorScheme: 'light' },
    dark: { colorScheme: 'dark' },
    narrow: { viewport: { width: 360, height: 740 } },
  })) {
    for (const place of pages) {
      const { context, page } = await open(options);
      await page.goto(base + place);
      await idle(page);
      const all = await violations(page);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) all.push('the page is wider than the window');
      if (all.length) found[`${name} ${place}`] = all;
      await shot(page, `${name}-${place.replace(/[^a-z0-9]+/gi, '-')}`);
      await context.close();
    }
  }
  return found;
}

async function withoutScripts(base) {
  const { context, page, log } = await open({ javaScriptEnabled: false });
  await page.goto(`${base}index.html`);
  await page.click('nav[aria-label="Site"] a');
  await page.click('.letters a');
  await page.click('.rows h3 a');
  const facts = { heading: await page.textContent('h1'), errors: log.errors };
  await context.close();
  return facts;
}

const report = {};
let served = null;
try {
  if (job.shots) await mkdir(job.shots, { recursive: true });
  let base = job.url;
  if (job.dir) {
    served = await serve(job.dir);
    base = served.url;
  }
  report.search = await search(base);
  report.filters = await filters(base);
  report.skill = await skillPage(base);
  report.accessibility = await accessibility(base);
  report.plain = await withoutScripts(base);
  if (job.dir) {
    const disk = `${pathToFileURL(job.dir)}/`;
    report.disk = { search: await search(disk), filters: await filters(disk), skill: await skillPage(disk) };
  }
} finally {
  await browser.close();
  served?.server.close();
  await rm(home, { recursive: true, force: true });
}
console.log(JSON.stringify(report, null, 1));
