/* What the pages do with a script: search, filters, copying. Without it they are plain lists.

   The search data are scripts, too, which each assign to a key of `skillpmSite`: a page on a disk may load these, but not
   fetch files. `search_index/mod.rs` describes them. Texts of packages only ever become text nodes. */
'use strict';

(() => {
  const root = document.documentElement.dataset.root || '';
  const byId = id => document.getElementById(id);

  /* An element with properties and children. */
  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // --- Commands -----------------------------------------------------------------------------------------------------

  /* Puts the site's own address into commands, where the site was made without knowing it. */
  function fillAddresses() {
    if (!/^https?:$/.test(location.protocol)) return;
    const base = new URL(root || '.', location.href);
    const path = base.pathname.replace(/\/$/, '');
    const site = base.origin + (path ? path + '/.well-known/agent-skills' : '');
    document.querySelectorAll('[data-site]').forEach(place => { place.textContent = site; });
    document.querySelectorAll('[data-site-root]').forEach(place => { place.textContent = base.origin + path; });
  }

  async function copyText(source) {
    const text = source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Without permission, or over plain HTTP: the selection can still be copied.
      getSelection().selectAllChildren(source);
      return document.execCommand('copy');
    }
  }

  function addCopyButtons() {
    const status = make('p', { className: 'sr' });
    status.setAttribute('role', 'status');
    document.body.append(status);

    document.querySelectorAll('[data-copy]').forEach(button => {
      button.hidden = false;
      button.addEventListener('click', async () => {
        const done = await copyText(button.parentElement.querySelector('code'));
        button.textContent = done ? 'Copied' : 'Selected';
        status.textContent = done ? 'Copied to the clipboard' : 'Selected; press Ctrl+C to copy';
        setTimeout(() => { button.textContent = 'Copy'; status.textContent = ''; }, 2000);
      });
    });
  }

  // --- The field ----------------------------------------------------------------------------------------------------

  function isTyping(target) {
    return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  }

  function focusOnSlash(field) {
    document.addEventListener('keydown', event => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      field.focus();
      field.select();
    });
  }

  /* On the page of a package, a search leads to the first page. */
  function linkField(form, field) {
    form.hidden = false;
    form.addEventListener('submit', event => {
      event.preventDefault();
      location.href = root + 'index.html#' + new URLSearchParams({ q: field.value });
    });
  }

  // --- Search data --------------------------------------------------------------------------------------------------

  const place = document.documentElement.dataset.search;
  const loaded = new Map();

  /* A file of the search data; each is requested once. */
  function load(name) {
    if (!loaded.has(name)) {
      loaded.set(name, new Promise((resolve, reject) => {
        const script = make('script', { src: `${place}${name}.js` });
        script.onload = () => { script.remove(); resolve(self.skillpmSite[name]); };
        script.onerror = () => { loaded.delete(name); script.remove(); reject(new Error(name)); };
        document.head.append(script);
      }));
    }
    return loaded.get(name);
  }

  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));

  /* The rows in a text that `postings.rs` wrote. */
  function rows(text) {
    const found = [];
    if (text === undefined) return found;
    if (text[0] === '!') {
      for (let at = 1; at < text.length; at++) {
        const bits = VALUES.get(text[at]);
        for (let bit = 0; bit < 6; bit++) if (bits >> bit & 1) found.push((at - 1) * 6 + bit);
      }
      return found;
    }
    let next = 0, sum = 0, scale = 1;
    for (const digit of text) {
      const value = VALUES.get(digit);
      sum += (value & 31) * scale;
      if (value < 32) {
        found.push(next + sum);
        next += sum + 1;
        sum = 0;
        scale = 1;
      } else {
        scale *= 32;
      }
    }
    return found;
  }

  const UNSPACED = '\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af';
  const WORD = /[\p{Alphabetic}\p{N}+#]+/gu;
  const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
  const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

  /* The words of a text, as `words.rs` splits them. */
  function words(text) {
    const found = [];
    for (const part of text.normalize('NFKC').toLowerCase().match(WORD) || []) {
      for (const run of part.match(RUN)) {
        const letters = [...run];
        if (!IS_UNSPACED.test(run)) found.push(letters.slice(0, 24).join(''));
        else if (letters.length === 1) found.push(run);
        else for (let at = 1; at < letters.length; at++) found.push(letters[at - 1] + letters[at]);
      }
    }
    return found;
  }

  /* The shard that has a word, if any has it: the last one that begins at or before it. */
  function shardOf(word) {
    let low = 0, high = meta.terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (meta.terms[middle] <= word) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  }

  async function shards(first, last) {
    const names = [];
    for (let at = first; at <= last; at++) names.push(`t${at}`);
    return (await Promise.all(names.map(load))).flat();
  }

  /* How much a word counts in each field: as the whole name, at its start, in it, in the tags, in the description. */
  const WEIGHTS = [16, 10, 8, 4, 1];
  const SHARDS_MAX = 8;
  const WORDS_MAX = 8;

  /* The score of each row that has a word, or one that begins with it. */
  async function scoresOf(word) {
    const scores = new Map();
    const add = (entry, factor) => WEIGHTS.forEach((weight, field) => {
      for (const row of rows(entry[field + 1])) scores.set(row, Math.max(scores.get(row) || 0, weight * factor));
    });

    const first = shardOf(word), near = shardOf(word + '*');
    const known = await shards(first, near);
    const summary = known.find(entry => entry[0] === word + '*');
    if (summary) {
      add(summary, 1);
      known.filter(entry => entry[0] === word).forEach(entry => add(entry, 2));
      return scores;
    }

    const last = Math.min(shardOf(word + '\uffff'), first + SHARDS_MAX - 1);
    for (const entry of await shards(first, last)) {
      const [found] = entry;
      if (found.startsWith(word) && !found.includes(':') && !found.endsWith('*')) add(entry, found === word ? 2 : 1);
    }
    return scores;
  }

  /* The rows of a filter. */
  async function rowsOf(group, value) {
    const word = `#${group}:${value}`;
    const at = shardOf(word);
    const entry = (await shards(at, at)).find(entry => entry[0] === word);
    return new Set(entry ? rows(entry[1]) : []);
  }

  /* The rows that fit a query, the best first; and whether each has all of its words. `null` for a query without words. */
  async function search(query) {
    const all = [...new Set(words(query))];
    const asked = all.some(word => !meta.stop.includes(word)) ? all.filter(word => !meta.stop.includes(word)) : all;
    if (!asked.length) return null;

    const each = await Promise.all(asked.slice(0, WORDS_MAX).map(scoresOf));
    const totals = new Map();
    for (const scores of each) {
      for (const [row, score] of scores) {
        const total = totals.get(row) || { count: 0, score: 0 };
        total.count += 1;
        total.score += score;
        totals.set(row, total);
      }
    }

    // A name as it is written, with its hyphens.
    const name = query.trim().toLowerCase().split('/').pop();
    if (name.includes('-')) {
      const at = shardOf(name);
      const entry = (await shards(at, at)).find(entry => entry[0] === name);
      for (const row of entry ? rows(entry[1]) : []) if (totals.has(row)) totals.get(row).score += 64;
    }

    const whole = [...totals].filter(([, total]) => total.count === each.length);
    const found = whole.length ? whole : [...totals];
    found.sort(([a, x], [b, y]) => y.count - x.count || y.score - x.score || a - b);
    return { rows: found.map(([row]) => row), isWhole: whole.length > 0 || !found.length };
  }

  // --- The list -----------------------------------------------------------------------------------------------------

  /* Below this number of packages, filters show how many of the results they leave: that needs all of their rows. */
  const COUNTED_MAX = 20000;
  const PAGE = 20;
  const number = new Intl.NumberFormat('en');

  let meta = null;
  let turn = 0;
  let shown = PAGE;
  let current = [];

  function readState() {
    const state = new URLSearchParams(location.hash.slice(1) || location.search);
    return state;
  }

  function writeState(state, isStep) {
    const hash = state.toString();
    const target = hash ? `#${hash}` : location.pathname.split('/').pop() + location.search;
    if (location.hash.slice(1) === hash) return;
    try {
      history[isStep ? 'pushState' : 'replaceState'](null, '', target);
    } catch {
      // Some browsers refuse that for a file.
      location.hash = hash;
    }
  }

  function filtersOf(state) {
    return meta.facets
      .map(([group]) => [group, state.getAll(group)])
      .filter(([, values]) => values.length);
  }

  /* What a query marks in texts: its words, and what begins with them. `null` for nothing. */
  function pattern(query) {
    const marked = [...new Set(words(query))].filter(word => !meta.stop.includes(word));
    marked.sort((a, b) => b.length - a.length);
    // A word has letters, digits, `+` and `#`.
    const parts = marked.map(word => (IS_UNSPACED.test(word) ? '' : '(?<![\\p{L}\\p{N}])') + word.replaceAll('+', '\\+'));
    return parts.length ? new RegExp(`(${parts.join('|')})`, 'giu') : null;
  }

  function mark(element, text, found) {
    const parts = found ? text.split(found) : [text];
    element.append(...parts.map((part, at) => at % 2 ? make('mark', { textContent: part }) : part));
    return element;
  }

  function hitItem([name, slug, version, description, tags, license, date, tokens, marks], found) {
    const link = mark(make('a', { href: `${root}skills/${slug || name}/index.html` }), name, found);
    const heading = make('div', { className: 'title' }, make('h3', {}, link));
    if (version) heading.append(' ', make('span', { className: 'version', textContent: version }));
    for (const [kind, text] of marks || []) heading.append(' ', make('span', { className: `mark ${kind}`, textContent: text }));

    const facts = [date, license, tokens && `${number.format(tokens)} tokens when loaded`, ...(tags || []).map(tag => `#${tag}`)].filter(Boolean);
    const item = make('li', {}, heading, mark(make('p', { dir: 'auto' }), description || '', found));
    if (facts.length) item.append(make('p', { className: 'facts', textContent: facts.join(' · ') }));
    return item;
  }

  async function itemsOf(found) {
    const blocks = new Map();
    for (const row of found) blocks.set(Math.floor(row / meta.block), null);
    await Promise.all([...blocks.keys()].map(async at => blocks.set(at, await load(`r${at}`))));
    const marked = pattern(readState().get('q') || '');
    return found.map(row => hitItem(blocks.get(Math.floor(row / meta.block))[row % meta.block], marked));
  }

  /* The results of the state in the URL. */
  async function update() {
    const mine = ++turn;
    const state = readState();
    const query = state.get('q') || '';
    const filters = filtersOf(state);
    const isActive = words(query).length > 0 || filters.length > 0;

    byId('start').hidden = isActive;
    byId('results').hidden = !isActive;
    showActive(filters);

    try {
      const found = await search(query);
      const sets = await Promise.all(filters.map(async ([group, values]) => {
        const each = await Promise.all(values.map(value => rowsOf(group, value)));
        return [group, new Set(each.flatMap(set => [...set]))];
      }));
      if (mine !== turn) return;

      const base = found ? found.rows : Array.from({ length: meta.count }, (_, row) => row);
      current = base.filter(row => sets.every(([, set]) => set.has(row)));
      shown = PAGE;
      if (isActive) await showHits(mine, found && !found.isWhole);
      await showFilters(mine, state, isActive ? base : null, sets);
    } catch (error) {
      if (mine === turn) byId('count').textContent = `Failed to load the search data (${error.message}).`;
    }
  }

  async function showHits(mine, isPartial) {
    const items = await itemsOf(current.slice(0, shown));
    if (mine !== turn) return;
    byId('hits').replaceChildren(...items);
    byId('more').hidden = current.length <= shown;

    const count = current.length === 1 ? '1 skill' : `${number.format(current.length)} skills`;
    byId('count').textContent = !current.length ? 'No skill found. Try fewer words or filters.'
      : isPartial ? `No skill has all of these words; ${count} with some of them` : count;
  }

  async function showMore() {
    const mine = turn;
    const from = shown;
    shown += PAGE;
    const items = await itemsOf(current.slice(from, shown));
    if (mine !== turn) return;
    byId('hits').append(...items);
    byId('more').hidden = current.length <= shown;
    items[0].querySelector('a').focus();
  }

  // --- Filters ------------------------------------------------------------------------------------------------------

  function showActive(filters) {
    const list = byId('active');
    const items = filters.flatMap(([group, values]) => values.map(value => {
      const button = make('button', { type: 'button', textContent: `${value} ×` });
      button.setAttribute('aria-label', `Remove the filter ${value}`);
      button.addEventListener('click', () => toggle(group, value, false));
      return make('li', {}, button);
    }));
    list.replaceChildren(...items);
    list.hidden = !items.length;
  }

  function toggle(group, value, isOn) {
    const state = readState();
    const values = state.getAll(group).filter(known => known !== value);
    state.delete(group);
    values.concat(isOn ? [value] : []).forEach(known => state.append(group, known));
    writeState(state, true);
    update();
  }

  /* The filters, with the number of packages that each leaves of `base`; of all for `null`. */
  async function showFilters(mine, state, base, sets) {
    const isCounted = meta.count <= COUNTED_MAX;
    const groups = await Promise.all(meta.facets.map(async ([group, title, values, total]) => {
      const chosen = state.getAll(group);
      const others = sets.filter(([of]) => of !== group);
      const rest = base && isCounted ? base.filter(row => others.every(([, set]) => set.has(row))) : null;
      const extra = chosen.filter(value => !values.some(([known]) => known === value)).map(value => [value, null]);

      const boxes = await Promise.all([...extra, ...values].map(async ([value, count]) => {
        let left = base ? null : count;
        if (rest) {
          const set = await rowsOf(group, value);
          left = rest.reduce((sum, row) => sum + (set.has(row) ? 1 : 0), 0);
        }
        return [value, left, chosen.includes(value)];
      }));
      return [group, title, boxes, total];
    }));
    if (mine !== turn) return;
    drawFilters(groups);
  }

  /* A filter that leaves nothing is not offered, unless it is chosen. */
  function drawFilters(all) {
    const groups = all
      .map(([group, title, boxes]) => [group, title, boxes.filter(([, left, isChecked]) => isChecked || left !== 0)])
      .filter(([, , boxes]) => boxes.length);
    const side = byId('filters');
    // The focus stays where it is: the boxes are made once, and change.
    const before = document.activeElement && side.contains(document.activeElement) ? document.activeElement.dataset.key : null;

    const sets = groups.map(([group, title, boxes]) => {
      const labels = boxes.map(([value, left, isChecked]) => {
        const box = make('input', { type: 'checkbox', checked: isChecked });
        box.dataset.key = `${group}:${value}`;
        box.addEventListener('change', () => toggle(group, value, box.checked));
        const label = make('label', {}, box, make('span', { textContent: value }));
        if (left !== null) label.append(make('span', { className: 'number', textContent: number.format(left) }));
        return label;
      });
      return make('fieldset', {}, make('legend', { textContent: title }), ...labels);
    });

    let details = side.querySelector('details');
    if (!details) {
      details = make('details', { open: matchMedia('(min-width: 56rem)').matches }, make('summary', { textContent: 'Filters' }));
      side.append(details);
      matchMedia('(min-width: 56rem)').addEventListener('change', event => { details.open = event.matches; });
    }
    details.replaceChildren(details.querySelector('summary'), ...sets);
    side.hidden = !sets.length;
    if (before) [...side.querySelectorAll('input')].find(box => box.dataset.key === before)?.focus();
  }

  // --- Keys ---------------------------------------------------------------------------------------------------------

  function moveBetween(field) {
    const links = () => [...document.querySelectorAll(byId('results').hidden ? '#start .rows h3 a' : '#hits h3 a')];
    document.addEventListener('keydown', event => {
      const all = links();
      const at = all.indexOf(document.activeElement);
      const isInField = document.activeElement === field;
      if (!isInField && at < 0) return;

      if (event.key === 'ArrowDown') (all[at + 1] || all[at])?.focus();
      else if (event.key === 'ArrowUp' && at >= 0) (all[at - 1] || field).focus();
      else if (event.key === 'Escape' && at >= 0) field.focus();
      else return;
      event.preventDefault();
    });
  }

  async function start(form, field) {
    form.hidden = false;
    try {
      meta = await load('meta');
    } catch {
      form.hidden = true;
      return;
    }

    field.value = field.value || readState().get('q') || '';
    const typed = isStep => {
      const state = readState();
      state.delete('q');
      // The query comes first in a shared URL.
      const rest = [...state];
      const next = new URLSearchParams(field.value.trim() ? [['q', field.value.trim()], ...rest] : rest);
      writeState(next, isStep);
      return update();
    };

    field.addEventListener('input', () => typed(false));
    form.addEventListener('submit', async event => {
      event.preventDefault();
      await typed(true);
      document.querySelector('#hits h3 a')?.click();
    });
    addEventListener('popstate', () => { field.value = readState().get('q') || ''; update(); });
    byId('more').addEventListener('click', showMore);
    moveBetween(field);
    if (field.value && field.value !== readState().get('q')) typed(false); else update();
  }

  // ------------------------------------------------------------------------------------------------------------------

  fillAddresses();
  addCopyButtons();

  const field = byId('q');
  if (field) focusOnSlash(field);
  if (place && field) start(byId('search'), field);
  else if (field) linkField(field.form, field);
})();
