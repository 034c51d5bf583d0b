import { type DerivedEntry, NOT_IN_FILE } from '#services/oversight/audit/derived-history.ts'
import type { AuditState } from '#services/oversight/audit/audit-api.ts'
import {
  checkLimit,
  cosignedOf,
  provesOf,
  sentenceOf,
  tooLongSentence,
  uncheckedTimestampOf,
  verdictSentence,
  wrongVerdicts,
} from '#services/oversight/audit/verification-words.ts'
import { changesOver, dayOf, type DayLine, linesOf } from '../src/features/oversight/audit/day-groups.ts'
import { groupsOf, type StateRow, type StateSection } from '../src/features/oversight/audit/state-sections.ts'
import {
  describeActor,
  describeChanges,
  formatEvidence,
  subjectOf,
  titleOf,
} from '../src/features/oversight/audit/words.ts'
import { formatDate } from '../src/format/dates.ts'
import { readStored, writeStored } from '../src/stored.ts'
import { type Checked, type Checker, createChecker, TooLong } from './check-worker.ts'

/** The page that verifies a history in a browser, without a server. Texts are set as text, never as markup. */

/** Lines that are shown at once; more on request. */
const AT_ONCE = 50
/** How often it says that it is still checking, in ms. */
const PROGRESS_MS = 3_000

type Genuine = Extract<Checked, { outcome: 'genuine' }>

// As functions: a worker runs this script too, and has no document.
const fileField = () => input('file')
const keyField = () => input('key')
const outcomeLine = () => part('verdict')
const result = () => part('result')

/** Begins to listen. */
export function startPage(): void {
  // Some browsers have no storage for saved pages: the key is entered again.
  keyField().value = readStored('proofdesk.firm-key') ?? ''
  fileField().addEventListener('change', () => void check())
  // Choosing the same name again, after another download, is a change too.
  fileField().addEventListener('click', () => (fileField().value = ''))
  keyField().addEventListener('input', () => writeStored('proofdesk.firm-key', keyField().value.trim()))
  keyField().addEventListener('change', () => void check())
}

/** Checks files, one after another. */
let checker: Checker | undefined
/** Counts the checks, so that the answer of an earlier one is dropped. */
let checks = 0

async function check(isLimited = true): Promise<void> {
  const file = fileField().files?.[0]
  if (!file) return
  const limit = isLimited ? checkLimit(file.size) : null
  const check = ++checks
  // One that is still at work with another file is stopped.
  if (checker?.isBusy()) checker.end()
  if (!checker || checker.hasEnded()) checker = createChecker()
  const own = checker
  const began = performance.now()
  show('busy', `Checking ${file.name} …`)
  const ticking = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1_000)
    if (check === checks) show('busy', `Checking ${file.name} … ${seconds} s`)
    else clearInterval(ticking)
  }, PROGRESS_MS)
  try {
    const trusted = keyField()
      .value.toLowerCase()
      .split(/[^0-9a-f]+/)
      .filter(Boolean)
    const verification = await own.check(await file.text(), trusted, limit)
    if (check !== checks) return
    clearInterval(ticking)
    const isInOrder = verification.outcome === 'genuine' && wrongVerdicts(verification) === 0
    show(isInOrder ? 'good' : 'bad', `${isInOrder ? '✓' : '✗'} ${sentenceOf(verification)}`)
    if (verification.outcome === 'genuine') result().replaceChildren(...history(verification, own))
    else result().replaceChildren(advice(file.name))
  } catch (error) {
    own.end()
    const isTooLong = error instanceof TooLong && limit !== null
    const says = isTooLong ? `✗ ${tooLongSentence(limit)}` : await cannotCheck(error)
    if (check !== checks) return
    show('bad', says)
    if (isTooLong) result().replaceChildren(goOn())
  } finally {
    clearInterval(ticking)
  }
}

function show(look: 'good' | 'bad' | 'busy', text: string): void {
  outcomeLine().className = look
  outcomeLine().textContent = text
  result().replaceChildren()
}

/** A slow machine takes longer than the limit for an honest file, too. */
function goOn(): HTMLElement {
  const button = element('button', { type: 'button' }, ['Check it to the end'])
  button.addEventListener('click', () => void check(false))
  return element('p', { className: 'card' }, ['Is this machine slow or busy? ', button])
}

async function cannotCheck(error: unknown): Promise<string> {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotReadableError' || name === 'NotFoundError') return '✗ The file could not be read. Choose it again.'
  if (!(await canCheckSignatures()))
    return '✗ This browser cannot check the file. Use a current version of Chrome, Edge, Firefox or Safari.'
  return '✗ Not genuine: this file is not one that the portal makes. Checking it came to no end.'
}

/** Whether the browser knows the signatures of files. */
async function canCheckSignatures(): Promise<boolean> {
  try {
    await crypto.subtle.importKey('raw', new Uint8Array(32), 'Ed25519', false, ['verify'])
    return true
  } catch {
    return false
  }
}

function advice(name: string): HTMLElement {
  return element('p', { className: 'card' }, [
    `Nothing of ${name} is shown, for nothing in it can be relied on. If you expected it to be genuine, download it again, or ask its sender for the original.`,
  ])
}

/** What a genuine file proves. */
function history(verification: Genuine, own: Checker): HTMLElement[] {
  const { entries, proven } = verification
  const at = element('section', { className: 'card at', ariaLabel: 'The account at this moment', tabIndex: 0 }, [])
  const lists: HTMLElement[] = []
  let selected = 0
  const select = (count: number) => {
    selected = count
    void own.stateAfter(count).then((state) => {
      if (selected === count) at.replaceChildren(...account(verification, state, count))
    })
    for (const list of lists)
      for (const item of list.querySelectorAll('[data-count]'))
        item.toggleAttribute('aria-current', item.getAttribute('data-count') === String(count))
  }
  const timeline = (title: string, from: number, to: number, note: string, className: string) => {
    const list = element('ol', {}, [])
    lists.push(list)
    return element('section', { className, ariaLabel: title }, [
      element('h2', {}, [title]),
      element('p', { className: 'muted small' }, [note]),
      list,
      more(list, verification, from, to, select),
    ])
  }
  const open = entries.length - proven
  const timelines = element('div', {}, [
    ...(open > 0 ? [timeline('Recorded, not proven', proven, entries.length, NOT_YET, 'card open')] : []),
    timeline('Proven, newest first', 0, proven, 'Each entry as it was recorded.', 'card'),
  ])
  select(proven)
  return [about(verification), ...verdicts(verification), element('div', { className: 'columns' }, [timelines, at])]
}

/** What was decided by the rules of a programme, and whether it follows from them. */
function verdicts(verification: Genuine): HTMLElement[] {
  if (verification.verdicts.length === 0) return []
  const items = verification.verdicts.map((verdict) =>
    element('li', { className: verdict.outcome }, [verdictSentence(verdict)]),
  )
  return [
    element('section', { className: 'card', ariaLabel: 'Verdicts' }, [
      element('h2', {}, ['Verdicts, computed again from what was recorded']),
      element('ul', { className: 'proves' }, items),
    ]),
  ]
}

const NOT_YET =
  'The firm signed this file, but no seal covers these entries yet: it could still replace them. Download the history again in some minutes.'

function about(verification: Genuine): HTMLElement {
  const lines = provesOf(verification, [...cosignedOf(verification), ...uncheckedTimestampOf(verification)])
  return element('section', { className: 'card', ariaLabel: 'What this file proves' }, [
    element('h2', {}, ['What this file proves']),
    element(
      'ul',
      { className: 'proves' },
      lines.map((line) => element('li', {}, [line])),
    ),
  ])
}

/** Fills a list with the lines of entries, newest first, and returns the button that shows more of them. */
function more(
  list: HTMLElement,
  verification: Genuine,
  from: number,
  to: number,
  select: (count: number) => void,
): HTMLElement {
  const { entries } = verification
  const namesAccount = new Set(entries.flatMap(({ accountId }) => accountId ?? [])).size > 1
  const numbered = new Map(entries.map((entry, index) => [entry, index + 1]))
  const itemOf = (entry: DerivedEntry) => entryItem(entry, numbered.get(entry) ?? 0, namesAccount, select)
  const lines = linesOf(entries.slice(from, to).toReversed())
  const button = element('button', { type: 'button' }, [])
  let [shown, day] = [0, '']
  const fill = () => {
    for (const line of lines.slice(shown, shown + AT_ONCE)) {
      const own = dayOf('entry' in line ? line.entry : line.ofDay[0])
      if (own !== day) list.append(element('li', { className: 'day' }, [own]))
      day = own
      list.append('entry' in line ? itemOf(line.entry) : dayItem(line, namesAccount, itemOf))
    }
    shown = Math.min(shown + AT_ONCE, lines.length)
    button.hidden = shown === lines.length
    const rest = lines.slice(shown).reduce((sum, line) => sum + ('entry' in line ? 1 : line.ofDay.length), 0)
    button.textContent = `Show older entries (${rest})`
  }
  button.addEventListener('click', fill)
  // Paper has no button: everything is printed.
  window.addEventListener('beforeprint', () => {
    while (list.isConnected && !button.hidden) fill()
  })
  fill()
  return button
}

/** What a day changed in one line, as on the History screen; its entries are behind a click. */
function dayItem(
  { title, ofDay }: DayLine<DerivedEntry>,
  namesAccount: boolean,
  itemOf: (entry: DerivedEntry) => HTMLElement,
): HTMLElement {
  return element('li', {}, [
    entryLine(title, subjectOf(ofDay[0], namesAccount), ofDay[0]),
    ...changeList(changesOver(ofDay)),
    element('details', {}, [element('summary', {}, [`${ofDay.length} entries`]), element('ol', {}, ofDay.map(itemOf))]),
  ])
}

function entryLine(title: string, about: string, { number, at }: Pick<DerivedEntry, 'number' | 'at'>): HTMLElement {
  return element('p', { className: 'line' }, [
    element('span', {}, [title, ...(about === '' ? [] : [element('span', { className: 'mono' }, [` ${about}`])])]),
    element('span', { className: 'stamp' }, [`#${number} · ${formatDate(at, 'exact')}`]),
  ])
}

function changeList(changes: Readonly<DerivedEntry['changes']>): HTMLElement[] {
  const rows = describeChanges(changes).map(({ label, from, to }) =>
    element('div', {}, [
      element('dt', {}, [label]),
      element('dd', {}, [...(from === undefined ? [] : [`${from} → `]), element('strong', {}, [to])]),
    ]),
  )
  return rows.length > 0 ? [element('dl', {}, rows)] : []
}

/** One entry, in the words of the History screen. */
function entryItem(
  entry: DerivedEntry,
  count: number,
  namesAccount: boolean,
  select: (count: number) => void,
): HTMLElement {
  const { number, type, changes, reason, evidence, corrects } = entry
  const button = element('button', { type: 'button', ariaLabel: `Account after this entry, #${number}` }, [
    'Account after this entry',
  ])
  button.addEventListener('click', () => {
    select(count)
    document.querySelector('.at')?.scrollIntoView({ block: 'nearest' })
  })
  const item = element('li', {}, [
    entryLine(titleOf(type), subjectOf(entry, namesAccount), entry),
    ...changeList(changes),
    ...(reason === null
      ? []
      : [element('p', { className: 'small' }, [element('span', { className: 'muted' }, ['Why: ']), reason])]),
    ...(evidence
      ? [
          element('p', { className: 'small' }, [
            element('span', { className: 'muted' }, ['Evidence: ']),
            formatEvidence(evidence),
          ]),
        ]
      : []),
    ...(corrects === undefined
      ? []
      : [element('p', { className: 'small' }, [`Corrects the mistaken breach #${corrects}`])]),
    element('p', { className: 'foot' }, [actorText(entry), button]),
  ])
  item.setAttribute('data-count', String(count))
  return item
}

function actorText({ actor, staffMember }: DerivedEntry): string {
  if (!actor)
    return staffMember === null ? 'By the firm; the name is not in this file' : `By Staff member ${staffMember}`
  const { word, name } = describeActor(actor, 'auditor')
  return `By ${word === 'The trader' ? 'the trader' : word}${name === undefined ? '' : ` ${name}`}`
}

/** The person and the accounts after some of the entries. */
function account({ proven }: Genuine, state: AuditState, count: number): HTMLElement[] {
  const groups = groupsOf(state).map(({ title, sections }) =>
    element('section', { ariaLabel: title }, [
      element('h3', {}, [title]),
      element('div', { className: 'state' }, sections.map(sectionElement)),
    ]),
  )
  const isOpen = count > proven
  return [
    element('h2', {}, [`The account after entry #${state.number}`]),
    element('p', { className: 'muted small' }, [
      `${formatDate(state.at, 'exact')}${isOpen ? ' · recorded, not proven' : ''}`,
    ]),
    ...groups,
  ]
}

function sectionElement({ title, rows, empty }: StateSection): HTMLElement {
  const shown = rows.filter(({ isSecret }) => !isSecret)
  return element('section', { ariaLabel: title }, [
    element('h4', {}, [title]),
    ...(shown.length === 0 ? [element('p', { className: 'muted' }, [empty])] : []),
    element(
      'dl',
      {},
      shown.map((row) =>
        element('div', {}, [
          element('dt', {}, [row.label]),
          element('dd', {}, [
            valueText(row),
            ...(row.more ?? []).map((line) => element('span', { className: 'muted small' }, [`\n${line}`])),
          ]),
        ]),
      ),
    ),
  ])
}

function valueText({ value, status }: StateRow): HTMLElement | string {
  if (value === NOT_IN_FILE) return element('span', { className: 'muted' }, [value])
  return [value, status?.label].filter(Boolean).join(': ')
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  children: readonly (Node | string)[],
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no ${id}`)
  return found
}

function input(id: string): HTMLInputElement {
  const found = part(id)
  if (!(found instanceof HTMLInputElement)) throw new Error(`${id} is no field`)
  return found
}
