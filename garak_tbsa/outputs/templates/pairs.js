// SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
// SPDX-License-Identifier: Apache-2.0
// Finds, filters and sorts the pairs. It makes its own controls, so that a page whose
// script does not run shows none that do nothing; it reads and moves what is there.
'use strict';
(() => {
  const groups = document.getElementById('groups');
  const controls = document.getElementById('controls');
  const rows = Array.from(groups.querySelectorAll('tbody tr'));
  if (rows.length < 2) return;
  const homes = rows.map(row => row.parentNode);
  const words = rows.map(row => row.querySelector('th').textContent.toLowerCase());
  const folds = Array.from(groups.querySelectorAll('details'));
  const wasOpen = folds.map(fold => fold.open);
  let narrowed = false;

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
  const order = choice('Order ', [['', 'by module'], ['place', 'worst grade first'],
    ['cost', 'highest cost first'], ['rate', 'lowest pass rate first'],
    ['z', 'lowest Z-score first'], ['name', 'by name']]);
  const said = document.createElement('p');
  said.className = 'small';
  said.setAttribute('role', 'status');
  controls.append(said);

  // one table of all modules, for every order but that by module
  const flat = groups.querySelector('table').cloneNode(true);
  const body = flat.querySelector('tbody');
  body.replaceChildren();
  flat.hidden = true;
  groups.before(flat);

  const number = (row, key) => {
    const value = row.dataset[key];
    return value === '' ? Infinity : Number(value);
  };
  const compare = key => (a, b) => {
    if (key === 'name') return words[a] < words[b] ? -1 : words[a] > words[b] ? 1 : 0;
    const sign = key === 'cost' ? -1 : 1;
    const [one, other] = [number(rows[a], key), number(rows[b], key)];
    if (one !== other) return sign * (one < other ? -1 : 1);
    return number(rows[a], 'place') - number(rows[b], 'place');
  };
  const isWanted = index => {
    const row = rows[index].dataset;
    const own = Number(row.grade);
    return words[index].includes(find.value.trim().toLowerCase())
      && (tier.value === '' || row.tier === tier.value)
      && (grade.value === '' || (grade.value === 'below' ? own < 5 : own === Number(grade.value)));
  };

  const arrange = () => {
    const all = rows.map((_, index) => index);
    if (order.value === '') all.forEach(index => homes[index].append(rows[index]));
    else all.sort(compare(order.value)).forEach(index => body.append(rows[index]));
    flat.hidden = order.value === '';
    groups.hidden = order.value !== '';
  };
  const filter = () => {
    let shown = 0;
    rows.forEach((row, index) => {
      row.hidden = !isWanted(index);
      shown += row.hidden ? 0 : 1;
    });
    const isNarrow = shown < rows.length;
    // innermost first, so that a module knows what is left of what it holds
    folds.forEach((fold, index) => {
      if (isNarrow && !narrowed) wasOpen[index] = fold.open;
      fold.hidden = isNarrow && !fold.querySelector('tbody tr:not([hidden])');
      if (isNarrow) fold.open = true;
      else if (narrowed) fold.open = wasOpen[index];
    });
    for (const table of groups.querySelectorAll('table')) {
      table.hidden = isNarrow && !table.querySelector('tbody tr:not([hidden])');
    }
    narrowed = isNarrow;
    said.textContent = `${shown} of ${rows.length} pairs`;
  };
  for (const control of [find, grade, tier]) control.addEventListener('input', filter);
  order.addEventListener('input', arrange);
  filter();
})();
