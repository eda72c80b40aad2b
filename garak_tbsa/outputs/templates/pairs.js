// SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
// SPDX-License-Identifier: Apache-2.0
// Finds, filters and sorts the pairs. It makes its own controls, so that a page whose
// script does not run shows none that do nothing; it reads and moves what is there.
'use strict';
(() => {
  const table = document.getElementById('table');
  const controls = document.getElementById('controls');
  // a pair is a body of the table: its numbers, and what more is said of it
  const pairs = Array.from(table.tBodies);
  if (pairs.length < 2) return;
  const words = new Map(pairs.map(
    pair => [pair, pair.querySelector('th').textContent.toLowerCase()]));

  const labelled = (text, control) => {
    const label = document.createElement('label');
    label.append(text, control);
    controls.append(label);
    return control;
  };
  const choice = (text, options) => {
    const select = document.createElement('select');
    for (const [value, name] of options) select.append(new Option(name, value));
    return labelled(text, select);
  };
  const find = document.createElement('input');
  find.type = 'search';
  find.autocomplete = 'off';
  labelled('Find ', find);
  const grade = choice('Grade ', [['', 'all'], ['below', 'below 5'],
    ...[1, 2, 3, 4, 5].map(each => [String(each), String(each)])]);
  const tier = choice('Tier ', [['', 'all'], ['1', '1'], ['2', '2']]);
  const order = choice('Order ', [['place', 'worst risk first'],
    ['cost', 'highest cost first'], ['rate', 'lowest pass rate first'],
    ['z', 'lowest Z-score first'], ['name', 'by name']]);
  const said = document.createElement('p');
  said.className = 'small';
  said.setAttribute('role', 'status');
  controls.append(said);

  const number = (pair, key) =>
    pair.dataset[key] === '' ? Infinity : Number(pair.dataset[key]);
  const compare = key => (a, b) => {
    if (key === 'name') return words.get(a) < words.get(b) ? -1 : 1;
    const [one, other] = [number(a, key), number(b, key)];
    if (one === other) return number(a, 'place') - number(b, 'place');
    return (key === 'cost' ? -1 : 1) * (one < other ? -1 : 1);
  };
  const isWanted = pair => words.get(pair).includes(find.value.trim().toLowerCase())
    && (tier.value === '' || pair.dataset.tier === tier.value)
    && (grade.value === '' || pair.dataset.grade === grade.value
      || (grade.value === 'below' && Number(pair.dataset.grade) < 5));

  const filter = () => {
    for (const pair of pairs) pair.hidden = !isWanted(pair);
    said.textContent = `${pairs.filter(isWanted).length} of ${pairs.length} pairs`;
  };
  for (const control of [find, grade, tier]) control.addEventListener('input', filter);
  order.addEventListener('input', () => table.append(...pairs.sort(compare(order.value))));
  filter();
})();
