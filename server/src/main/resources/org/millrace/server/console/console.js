// The console's page: asks for JSON each second and draws it. No library, nothing from elsewhere.
// Texts of the cluster go into the page as text alone, never as HTML.
'use strict';

const POLL_MILLIS = 1000;
const SAMPLES = 120;
const MAX_RANKS = 64;
const MAX_UNITS = 48;

const byId = id => document.getElementById(id);

/** An element with attributes and children; functions are listeners. */
function make(tag, attributes, ...children) {
  const svg = SVG_TAGS.has(tag);
  const one = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') one.addEventListener(name, value);
    else if (value !== undefined && value !== false) one.setAttribute(name, value === true ? '' : value);
  }
  one.append(...children.flat().filter(child => child !== null && child !== undefined).map(child =>
    child instanceof Node ? child : String(child)));
  return one;
}
const SVG_TAGS = new Set(['svg', 'g', 'rect', 'circle', 'path', 'line', 'text', 'title', 'defs', 'marker']);

/** Draws a part of the page anew if what it shows has changed, but not under a finger that is about to click. */
const shown = new Map();
let pressed = false;
document.addEventListener('pointerdown', () => { pressed = true; });
for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => { pressed = false; });
function draw(place, key, parts) {
  const text = JSON.stringify(key);
  if (pressed || shown.get(place) === text) return;
  shown.set(place, text);
  const focused = document.activeElement ? document.activeElement.id : '';
  byId(place).replaceChildren(...[parts()].flat());
  if (focused && document.activeElement.id !== focused && byId(focused)) byId(focused).focus({preventScroll: true});
}

function bytes(count) {
  if (count === null || count === undefined) return '?';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0, value = Number(count);
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return (unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)) + ' ' + units[unit];
}
function time(nanos) {
  const seconds = nanos / 1e9;
  if (seconds < 1e-3) return (seconds * 1e6).toFixed(0) + ' µs';
  if (seconds < 1) return (seconds * 1e3).toFixed(0) + ' ms';
  if (seconds < 120) return seconds.toFixed(seconds < 10 ? 1 : 0) + ' s';
  if (seconds < 7200) return Math.floor(seconds / 60) + ' min';
  if (seconds < 172800) return Math.floor(seconds / 3600) + ' h';
  return Math.floor(seconds / 86400) + ' days';
}
const percent = (part, all) => all > 0 ? (100 * part / all).toFixed(part === all ? 0 : 1) + ' %' : '-';
const series = number => ((number % 8) + 8) % 8;

/** A table of rows; a heading that begins with > is one of numbers, with - one for wide screens. */
function table(headings, rows) {
  const classes = headings.map(one => (one.includes('>') ? 'n ' : '') + (one.includes('-') ? 'narrow-out' : ''));
  const cells = (tag, values) => values.map((value, i) => make(tag, {class: classes[i]}, value));
  return make('table', {},
    make('thead', {}, make('tr', {}, cells('th', headings.map(one => one.replace(/[>-]/g, ''))))),
    make('tbody', {}, rows.map(row => row instanceof Node ? row : make('tr', {}, cells('td', row)))));
}

function bar(parts) {
  return make('div', {class: 'bar'}, parts.map(([colour, share]) => {
    const one = make('i', {class: colour});
    one.style.width = Math.max(0, Math.min(100, 100 * share)) + '%';
    return one;
  }));
}

// ---- what is wrong

function drawProblems(cluster) {
  const problems = cluster.silence ? ['the cluster does not answer: ' + cluster.silence + ': this page shows what it said last'] : [];
  problems.push(...(cluster.problems || []));
  const badge = byId('badge');
  badge.className = 'badge ' + (problems.length ? 'bad' : 'good');
  badge.textContent = cluster.silence ? 'silent' : problems.length === 0 ? 'all is well'
    : problems.length === 1 ? '1 problem' : problems.length + ' problems';
  draw('problems', problems, () => problems.length === 0
    ? [make('li', {class: 'fine'}, 'Nothing: all is well.')]
    : problems.map(problem => {
        const at = problem.lastIndexOf(': ');
        return at < 0 ? make('li', {}, problem)
          : make('li', {}, make('b', {}, problem.slice(0, at)), make('span', {class: 'todo'}, problem.slice(at + 2)));
      }));
}

function drawFacts(state) {
  const cluster = state.cluster;
  byId('facts').textContent = cluster.cluster === undefined ? '' :
    `${cluster.cluster} · up for ${time(cluster.upMillis * 1e6)} · ${cluster.sessions} sessions`
    + (cluster.coordinators.length ? ' · ' + cluster.coordinators.length + ' coordinators, '
      + cluster.coordinators.filter(one => one.role === 'leader').map(one => one.coordinator + ' leads').join() : '');
  const mode = byId('mode');
  mode.textContent = state.changes ? 'changes allowed' : 'read-only';
  mode.className = state.changes ? 'tag loud' : 'tag';
  byId('scrub').hidden = !state.changes;
}

// ---- traffic

const history = [];
function drawTraffic(rates) {
  const sum = name => rates.reduce((all, one) => all + Number(one[name]), 0);
  history.push({bytes: sum('bytes'), diskRead: sum('diskRead'), diskWritten: sum('diskWritten')});
  if (history.length > SAMPLES) history.shift();
  byId('traffic').replaceChildren(
    curve('bytes', 'moved for programs', 0), curve('diskRead', 'read from disks', 2), curve('diskWritten', 'written to disks', 1));
}
function curve(name, label, colour) {
  const values = history.map(one => one[name]);
  const most = Math.max(1, ...values);
  const x = i => 240 - (values.length - 1 - i) * 240 / (SAMPLES - 1);
  const points = values.map((value, i) => `${x(i).toFixed(1)},${(60 - 54 * value / most).toFixed(1)}`);
  return make('div', {},
    make('div', {class: 'soft'}, label),
    make('div', {class: 'now'}, bytes(values.at(-1)) + '/s'),
    make('svg', {viewBox: '0 0 240 64', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
      make('line', {class: 'axis', x1: 0, x2: 240, y1: 60.5, y2: 60.5}),
      make('path', {class: 'area f' + colour, d: `M${x(0).toFixed(1)},60 L${points.join(' L')} L240,60 Z`}),
      make('path', {class: 'curve l' + colour, d: 'M' + points.join(' L')})),
    make('div', {class: 'soft'}, 'at most ' + bytes(most === 1 ? 0 : most) + '/s'));
}

// ---- nodes

function drawNodes(state) {
  const cluster = state.cluster;
  const holdings = new Map((cluster.holdings || []).map(one => [one.node, one]));
  const rates = new Map(cluster.rates.map(one => [one.node, one]));
  const nodes = cluster.nodes.filter(node => node.state !== 'removed');
  const key = [nodes, cluster.rates, cluster.holdings, state.changes];
  draw('nodes', key, () => nodes.map(node => card(node, rates.get(node.node), holdings.get(node.node), state.changes)));
}
function card(node, rate, holding, changes) {
  const c = node.counters;
  const of = name => Number(c[name] || 0);
  const lines = [];
  if (node.up) {
    const dirty = Math.min(of('dirtyBytes'), of('usedBytes'));
    lines.push(line('Cache', `${bytes(of('usedBytes'))} of ${bytes(of('limitBytes'))}, ${bytes(of('dirtyBytes'))} dirty`),
      bar([['b1', dirty / of('limitBytes')], ['b0', (of('usedBytes') - dirty) / of('limitBytes')]]),
      line('Hits', percent(of('hits'), of('hits') + of('misses'))));
    const total = of('diskTotal');
    lines.push(line('Disk', `${bytes(of('storedBytes'))} here, ${bytes(of('diskFree'))} free`));
    if (total > 0) {
      const others = Math.max(0, total - of('diskFree') - of('storedBytes'));
      lines.push(bar([['b2', of('storedBytes') / total], ['b5', others / total]]));
    }
    lines.push(line('Traffic', `${bytes(rate.bytes)}/s, ${Math.round(rate.operations)} requests/s`),
      line('Disk traffic', `${bytes(rate.diskRead)}/s in, ${bytes(rate.diskWritten)}/s out`));
  } else {
    lines.push(line('', node.state));
  }
  lines.push(...work(node, holding));
  const buttons = changes && holding ? make('div', {class: 'buttons'}, holding.use === 'draining'
    ? make('button', {id: 'use-' + node.node, click: () => change(`use node ${node.node} again?`, {do: 'use', node: node.node})}, 'Use again')
    : make('button', {id: 'drain-' + node.node, click: () => change(`drain node ${node.node}? What it holds moves to the other nodes.`, {do: 'drain', node: node.node})}, 'Drain')) : null;
  return make('div', {class: node.up ? 'card' : 'card down', id: 'node-' + node.node},
    make('div', {class: 'head'}, make('i', {class: 'dot b' + series(node.node)}), make('h3', {}, 'Node ' + node.node),
      holding && holding.use !== 'used' ? make('span', {class: 'pill bad'}, holding.use) : null,
      make('span', {class: 'state pill ' + (node.up ? 'good' : 'bad')}, node.up ? 'up' : 'down')),
    make('div', {class: 'address', title: node.address}, node.address || '-'), lines, buttons);
}
const line = (name, value) => make('div', {class: 'line'}, make('span', {class: 'soft'}, name), make('span', {}, value));

/** Scrub, rebuild and drain, with how far they are. */
const begun = new Map();
function work(node, holding) {
  const of = name => Number(node.counters[name] || 0);
  const lines = [];
  if (node.counters['scrub.running'] !== undefined) {
    const running = of('scrub.running') === 1;
    const share = of('scrub.bytes') / Math.max(1, of('storedBytes'), of('scrub.bytes'));
    lines.push(line('Scrub', running ? `${bytes(of('scrub.bytes'))} of about ${bytes(Math.max(of('storedBytes'), of('scrub.bytes')))}`
      : `${time(of('scrub.agoMillis') * 1e6)} ago: ${of('scrub.repaired')} repaired, ${of('scrub.left')} left`));
    if (running) lines.push(bar([['b6', share]]));
  }
  if (holding) {
    lines.push(...progress('rebuild ' + node.node, 'Rebuild', holding.missing, left => `${left} copies to make`));
    if (holding.use === 'draining') {
      lines.push(...progress('drain ' + node.node, 'Drain', holding.strands,
        left => `${left} strands to move` + (holding.open ? `, ${holding.open} when closed` : '')));
    }
    if (holding.lost > 0) lines.push(line('Lost', holding.lost + ' strands'));
  }
  return lines;
}
/** Of what was left when this page first saw it. */
function progress(what, name, left, words) {
  if (left === 0) { begun.delete(what); return []; }
  const all = Math.max(left, begun.get(what) || 0);
  begun.set(what, all);
  return [line(name, words(left)), bar([['b4', (all - left) / all]])];
}

// ---- groups and waits

function drawGroups(cluster) {
  const waits = cluster.waits.map(({forNanos, ...rest}) => rest);
  const width = Math.max(260, Math.min(byId('groups').clientWidth || 900, 1400));
  draw('groups', [cluster.groups, waits, width], () => cluster.groups.length === 0
    ? [make('p', {class: 'soft'}, 'No program runs.')] : picture(cluster.groups, cluster.waits, width));
  draw('waits', cluster.waits, () => cluster.waits.length === 0 ? [] : [make('div', {class: 'scroll'},
    table(['group', 'rank', 'in', '>for', 'waits for (group/rank)'], cluster.waits.map(one =>
      [one.group, one.rank, one.call, time(one.forNanos), one.waitsFor.join(' ')])))]);
}
function picture(groups, waits, width) {
  const columns = Math.max(4, Math.floor((width - 30) / 34));
  const waiting = new Set(waits.map(one => one.group + '/' + one.rank));
  const places = new Map();
  const boxes = [], ranks = [];
  let x = 0, y = 0, high = 0;
  for (const group of groups) {
    const count = Math.min(group.size, MAX_RANKS);
    const across = Math.min(count, columns, 16);
    const label = `group ${group.group} of ${group.user}` + (group.job ? ', ' + group.job : '');
    const w = Math.max(across * 34 + 16, Math.min(width - 4, label.length * 7 + 20)), h = Math.ceil(count / across) * 38 + 34;
    if (x > 0 && x + w > width) { x = 0; y += high + 16; high = 0; }
    const members = new Map(group.members.map(one => [one.rank, one]));
    boxes.push(make('rect', {class: 'groupbox', x: x + 1, y: y + 1, width: w, height: h, rx: 8}),
      make('text', {class: 'soft', x: x + 9, y: y + 18}, label + (group.size > count ? `, ${group.size} ranks` : '')));
    for (let rank = 0; rank < count; rank++) {
      const cx = x + 25 + (rank % across) * 34, cy = y + 46 + Math.floor(rank / across) * 38;
      const member = members.get(rank);
      const name = group.group + '/' + rank;
      const kind = !member ? 'away' : member.left ? 'ended' : waiting.has(name) ? 'waits' : 'at-work';
      places.set(name, [cx, cy]);
      const wait = waits.find(one => one.group === group.group && one.rank === rank);
      ranks.push(make('g', {}, make('title', {}, `rank ${rank}: ` + (kind === 'waits' ? `waits in ${wait.call}` :
          kind === 'ended' ? 'ended: ' + member.left : kind === 'away' ? 'not here yet' : 'at work')),
        make('circle', {class: 'rank ' + kind, cx, cy, r: 12}),
        make('text', {class: kind === 'at-work' || kind === 'waits' ? 'on' : '', x: cx, y: cy + 4, 'text-anchor': 'middle'}, rank)));
    }
    x += w + 16;
    high = Math.max(high, h);
  }
  const arrows = [];
  for (const wait of waits) {
    for (const other of wait.waitsFor) {
      const from = places.get(wait.group + '/' + wait.rank), to = places.get(other);
      if (from && to && from !== to) arrows.push(arrow(from, to));
    }
  }
  const kinds = [['at-work', 'at work'], ['waits', 'waits'], ['ended', 'ended'], ['away', 'not here yet']];
  return [make('svg', {width, height: y + high + 4, viewBox: `0 0 ${width} ${y + high + 4}`, role: 'img',
      'aria-label': 'groups of ranks, and arrows from those that wait to those they wait for'},
    make('defs', {}, make('marker', {id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse'},
      make('path', {class: 'head-of-arrow', d: 'M0,0 L8,4 L0,8 Z'}))), boxes, arrows, ranks),
    make('div', {class: 'legend'}, kinds.map(([kind, words]) => make('span', {},
      make('svg', {viewBox: '0 0 12 12'}, make('circle', {class: 'rank ' + kind, cx: 6, cy: 6, r: 5})), ' ' + words)))];
}
function arrow([x1, y1], [x2, y2]) {
  const far = Math.hypot(x2 - x1, y2 - y1) || 1;
  const bend = Math.min(34, far / 3);
  const mx = (x1 + x2) / 2 - (y2 - y1) / far * bend, my = (y1 + y2) / 2 + (x2 - x1) / far * -bend;
  const off = (ax, ay, bx, by) => { const d = Math.hypot(bx - ax, by - ay) || 1; return [ax + (bx - ax) / d * 14, ay + (by - ay) / d * 14]; };
  const [sx, sy] = off(x1, y1, mx, my), [ex, ey] = off(x2, y2, mx, my);
  return make('path', {class: 'arrow', d: `M${sx},${sy} Q${mx},${my} ${ex},${ey}`, 'marker-end': 'url(#head)'});
}

// ---- open files and locks

function drawOpens(cluster) {
  draw('opens', cluster.opens, () => [cluster.opens.length === 0 ? make('p', {class: 'soft'}, 'None.')
    : table(['file', 'how', '>group', '>-shared pointer', '>-end pointer'], cluster.opens.map(one =>
      [one.path || '?', one.how, one.group, one.pointer, one.endPointer]))]);
  draw('locks', cluster.locks.map(({forNanos, ...rest}) => rest), () => [cluster.locks.length === 0 ? make('p', {class: 'soft'}, 'None.')
    : table(['lock', 'held by (group/rank)', '>for'], cluster.locks.map(one => [one.lock || '?', one.holder, time(one.forNanos)]))]);
}

// ---- collective calls

const STRATEGIES = ['direct', 'sieved', 'two-phase', 'extended-two-phase', 'disk-directed', 'atomic'];
function drawCalls(cluster) {
  const groups = cluster.calls || [];
  const width = Math.max(260, Math.min(byId('calls').clientWidth || 900, 1400));
  const steady = groups.map(group => [group.group, group.count, group.last.map(call => [call.call, call.ranks.length, call.ranks[0].endNanos])]);
  draw('calls', [steady, cluster.collectives, width], () => {
    const counts = Object.entries(cluster.collectives || {}).filter(([, count]) => count > 0);
    const parts = [make('p', {class: 'soft'}, counts.length === 0 ? 'No rank of a running cluster has told of one yet.'
      : 'Since the coordinator was started: ' + counts.map(([name, count]) => `${count} ${name}`).join(', ') + '.')];
    for (const group of groups.filter(one => one.last.length > 0).slice(0, 2)) parts.push(...callsOf(group, width));
    parts.push(make('p', {class: 'soft'}, 'Ranks 0 to 15 tell of their last calls once a second. For every call, wait and transfer of a run: ',
      make('code', {}, 'millrace run --record run.jfr PROGRAM'), ', then ', make('code', {}, 'millrace trace run.jfr'), '.'));
    return parts;
  });
}
/** The last calls of a group: a row for each rank; grey where it waited, a colour where it moved bytes. */
function callsOf(group, width) {
  const bars = group.last.flatMap((call, i) => call.ranks.map(one => ({call, i, ...one, from: -one.agoNanos, to: one.endNanos - one.agoNanos})));
  const ranks = [...new Set(bars.map(one => one.rank))].sort((a, b) => a - b);
  const left = 56, row = 20, from = Math.min(...bars.map(one => one.from));
  const whole = Math.max(1, Math.max(...bars.map(one => one.to)) - from);
  const x = at => left + (at - from) / whole * (width - left - 8);
  const pieces = [];
  ranks.forEach((rank, i) => pieces.push(make('text', {class: 'soft', x: left - 8, y: i * row + 14, 'text-anchor': 'end'}, 'rank ' + rank),
    make('line', {class: 'grid', x1: left, x2: width - 8, y1: i * row + 10, y2: i * row + 10})));
  for (const one of bars) {
    const y = ranks.indexOf(one.rank) * row + 3;
    const rect = (kind, begin, end) => make('rect', {class: kind, x: x(begin), y, width: Math.max(1, x(end) - x(begin)), height: row - 6, rx: 2});
    pieces.push(make('g', {}, make('title', {}, `${one.call.call} of ${one.call.file || 'a file'}, rank ${one.rank}: ${time(one.endNanos)}, `
        + `of which it moved bytes for ${time(one.movedNanos - one.movingNanos)}`),
      rect('waiting', one.from, one.to),
      one.call.strategy ? rect('f' + strategySeries(one.call.strategy), one.from + one.movingNanos, one.from + one.movedNanos) : null));
  }
  const height = ranks.length * row + 18;
  pieces.push(make('text', {class: 'soft', x: left, y: height - 4}, '0'),
    make('text', {class: 'soft', x: width - 8, y: height - 4, 'text-anchor': 'end'}, time(whole)));
  const used = STRATEGIES.filter(name => group.last.some(call => call.strategy === name));
  return [make('h3', {}, `Group ${group.group} of ${group.user}` + (group.job ? ', ' + group.job : '') + `: ${group.count} ${group.count === 1 ? 'call' : 'calls'}`
      + (group.count > group.last.length ? `, the last ${group.last.length}` : '')),
    make('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'the last collective calls, rank by rank'}, pieces),
    make('div', {class: 'legend'}, [['waiting', 'waits for others'], ...used.map(name => ['f' + strategySeries(name), name])].map(([kind, words]) =>
      make('span', {}, make('svg', {viewBox: '0 0 12 12'}, make('rect', {class: kind, width: 12, height: 12, rx: 2})), ' ' + words))),
    make('div', {class: 'scroll'}, table(['call', 'file', '>bytes', 'strategy', '-plan', '>took', '>moved bytes for'], group.last.toReversed().map(call => [
      call.call + (call.failed ? ' (failed)' : ''), call.file || '?', bytes(call.bytes), call.strategy || '-', call.plan,
      time(Math.max(...call.ranks.map(one => one.endNanos))), time(Math.max(...call.ranks.map(one => one.movedNanos - one.movingNanos)))])))];
}
const strategySeries = name => Math.max(0, STRATEGIES.indexOf(name));

// ---- files

let directory = '', chosen = '', more = [];
async function listFiles(path, after) {
  const page = await ask('/api/files?path=' + encodeURIComponent(path) + (after ? '&after=' + encodeURIComponent(after) : ''));
  if (!page) return;
  if (path !== directory) chosen = '';
  more = after ? more.concat(page.entries) : page.entries;
  directory = path;
  drawFiles(page.more);
}
const join = (folder, name) => folder ? folder + '/' + name : name;
function drawFiles(hasMore) {
  const names = directory ? directory.split('/') : [];
  byId('crumbs').replaceChildren(make('button', {class: 'name', click: () => listFiles('')}, '/'),
    ...names.flatMap((name, i) => [' ', make('button', {class: 'name', click: () => listFiles(names.slice(0, i + 1).join('/'))}, name + '/')]));
  const rows = more.map(one => {
    const path = join(directory, one.name);
    const isFolder = one.kind === 'directory';
    const name = make('button', {class: 'name', click: () => isFolder ? listFiles(path) : showFile(path)}, one.name + (isFolder ? '/' : ''));
    return make('tr', {class: path === chosen ? 'chosen' : ''}, make('td', {class: 'long'}, name),
      make('td', {class: 'n'}, isFolder ? '-' : bytes(one.size)), make('td', {class: 'narrow-out'}, one.owner),
      make('td', {class: 'narrow-out'}, new Date(one.modifiedMillis).toLocaleString()));
  });
  byId('files').replaceChildren(rows.length === 0 ? make('p', {class: 'soft'}, 'Nothing is here.')
      : table(['name', '>size', '-owner', '-modified'], rows),
    hasMore ? make('button', {click: () => listFiles(directory, more.at(-1).name)}, 'More') : '');
  if (!chosen) byId('file').replaceChildren(make('p', {class: 'soft'}, 'Choose a file to see where its bytes are.'));
}
async function showFile(path) {
  const file = await ask('/api/file?path=' + encodeURIComponent(path));
  if (!file) return;
  chosen = path;
  for (const row of byId('files').querySelectorAll('tbody tr')) {
    row.className = row.querySelector('button').textContent === path.split('/').at(-1) ? 'chosen' : '';
  }
  const parts = [make('h3', {}, '/' + path),
    make('p', {class: 'soft'}, `${bytes(file.size)} (${file.size} bytes), mode ${file.mode}, owner ${file.owner}`)];
  if (file.strands) parts.push(...layout(file));
  if (changesAllowed) parts.push(make('div', {class: 'buttons'}, make('button', {class: 'danger',
    click: () => change(`remove /${path}? Its bytes are lost.`, {do: 'remove', path}, () => { chosen = ''; listFiles(directory); })}, 'Remove')));
  byId('file').replaceChildren(...parts);
}
/** The file as its stripe units in order, coloured by node, and its strands with their copies. */
function layout(file) {
  const units = Math.max(1, Math.min(MAX_UNITS, Math.ceil(file.size / file.stripeUnitBytes) || 1));
  const all = Math.ceil(file.size / file.stripeUnitBytes);
  const across = 16, side = 30;
  const squares = [];
  for (let unit = 0; unit < units; unit++) {
    const strand = file.strands[unit % file.strandCount];
    const node = strand ? strand.node : 0;
    const x = (unit % across) * side, y = Math.floor(unit / across) * side;
    squares.push(make('g', {}, make('title', {}, `stripe unit ${unit}: strand ${unit % file.strandCount} on node ${node}`),
      make('rect', {class: 'f' + series(node), x: x + 1, y: y + 1, width: side - 2, height: side - 2, rx: 4}),
      make('text', {class: 'on', x: x + side / 2, y: y + side / 2 + 4, 'text-anchor': 'middle'}, node)));
  }
  const width = Math.min(units, across) * side, height = Math.ceil(units / across) * side;
  return [make('p', {}, `${file.strandCount} strands, stripe unit ${bytes(file.stripeUnitBytes)}, blocks of ${bytes(file.blockBytes)}, `
      + (file.copies > 1 ? `${file.copies} copies` : 'no copies') + (file.missing ? `, ${file.missing} missing` : '')),
    make('div', {class: 'soft'}, all > units ? `The first ${units} of ${all} stripe units, each with its node:` : 'Stripe units in order, each with its node:'),
    make('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'stripe units by node'}, squares),
    make('div', {class: 'scroll'}, table(['>strand', '>bytes', 'on nodes'], file.strands.map(one => [one.strand, bytes(one.bytes),
      make('span', {}, one.inSync.map((node, i) => make('span', {class: 'pill good'}, `${node}${i === 0 && file.copies > 1 ? ' serves' : ''}`)),
        one.missing.map(node => make('span', {class: 'pill bad'}, `${node} missing`)))])))];
}

// ---- asking and changing

let changesAllowed = false;
async function ask(what, options) {
  const answer = await fetch(what, {cache: 'no-store', ...options});
  if (answer.status === 401) { location.reload(); return null; }
  const value = await answer.json();
  if (!answer.ok) { toast(value.message); return null; }
  return value;
}
let toastTimer = 0;
function toast(text) {
  byId('toast').textContent = text;
  byId('toast').hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { byId('toast').hidden = true; }, 6000);
}
function change(question, what, then) {
  const dialog = byId('confirm');
  byId('confirm-text').textContent = question[0].toUpperCase() + question.slice(1);
  byId('confirm-no').onclick = () => dialog.close();
  byId('confirm-yes').onclick = async () => {
    dialog.close();
    const done = await ask('/api/changes?' + new URLSearchParams(what), {method: 'POST', headers: {'X-Millrace-Confirmed': 'yes'}});
    if (done) { toast(done.done); if (then) then(); poll(); }
  };
  dialog.showModal();
}

async function poll() {
  let state;
  try {
    state = await ask('/api/state');
  } catch (e) {
    byId('badge').className = 'badge bad';
    byId('badge').textContent = 'the console has ended';
    return;
  }
  if (!state) return;
  changesAllowed = state.changes;
  drawProblems(state.cluster);
  drawFacts(state);
  if (state.cluster.nodes) {
    drawTraffic(state.cluster.rates);
    drawNodes(state);
    drawPictures(state.cluster);
    drawOpens(state.cluster);
  }
}
/** What is as wide as the window. */
let drawnOf = null;
function drawPictures(cluster) {
  drawnOf = cluster;
  drawGroups(cluster);
  drawCalls(cluster);
}
window.addEventListener('resize', () => { if (drawnOf) drawPictures(drawnOf); });
async function run() {
  for (;;) {
    if (!document.hidden) await poll().catch(problem => toast('this page has failed: ' + problem));
    await new Promise(resolve => setTimeout(resolve, POLL_MILLIS));
  }
}
byId('scrub').addEventListener('click', () => change('scrub the disks of all nodes now? Programs may run meanwhile.', {do: 'scrub'}));
listFiles('').catch(() => {});
run();
