import { Plus } from 'lucide-react'
import { type MouseEvent, useState } from 'react'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { rulePresets } from '#services/programmes/programmes/rule-presets.ts'
import { fundedSentences, payoutSentences, ruleSentences, type TitledSentence } from '#services/rules/sentences.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { Button } from '@/ui/button.tsx'
import { TextInput } from '@/ui/field.tsx'
import { Menu } from '@/ui/menu.tsx'
import { MenuItem, MenuSeparator, OpenMenu } from '@/ui/open-menu.tsx'
import { at, isObject, type Json, type JsonObject, kindOf, listAt, sentenceOf, textAt, withValue } from './family.ts'
import { SentenceFields, type Writing } from './sentence-fields.tsx'

type Change = (next: (terms: JsonObject) => JsonObject, path: string) => void

interface StageCardProps {
  readonly terms: JsonObject
  /** Its number, from 0. */
  readonly stage: number
  readonly writing: Writing
  readonly faults: ReadonlySet<string>
  readonly onChange: Change
}

/** A stage: its name, its rules as sentences, and its payouts. */
export function StageCard({ terms, stage: n, writing, faults, onChange }: StageCardProps) {
  const path = `stages[${n}]`
  const stages = listAt(terms, 'stages')
  const name = nameOf(terms, n)
  const rules = listAt(terms, `${path}.rules`)
  const payouts = at(terms, `${path}.payouts`)
  const changeStages = (next: (stages: readonly Json[]) => readonly Json[]) =>
    onChange((each) => ({ ...each, stages: next(listAt(each, 'stages')) }), 'stages')
  const changeRules = (next: (rules: readonly Json[]) => readonly Json[]) =>
    onChange((each) => withValue(each, `${path}.rules`, next(listAt(each, `${path}.rules`))), `${path}.rules`)
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-card p-5">
      <div className="flex items-end justify-between gap-2">
        <TextInput
          label={`Stage ${n + 1}`}
          className="flex-1"
          error={faults.has(`${path}.name`) ? 'Write the name that traders read, up to 200 letters.' : undefined}
          autoComplete="off"
          value={textAt(terms, `${path}.name`) ?? ''}
          onChange={({ target }) => writing.fill(`${path}.name`, target.value)}
        />
        <Menu label={`Actions for ${name}`}>
          <MenuItem disabled={n === 0} onSelect={() => changeStages((each) => moved(each, n, n - 1))}>
            Move Earlier
          </MenuItem>
          <MenuItem disabled={n === stages.length - 1} onSelect={() => changeStages((each) => moved(each, n, n + 1))}>
            Move Later
          </MenuItem>
          <MenuSeparator />
          <MenuItem
            dangerous
            disabled={stages.length === 1}
            onSelect={() => changeStages((each) => each.filter((_, index) => index !== n))}
          >
            Remove Stage
          </MenuItem>
        </Menu>
      </div>
      <ul aria-label={`Rules of ${name}`} className="flex flex-col gap-4">
        {rules.map((rule, index) => (
          <Rule
            key={index}
            terms={terms}
            stage={n}
            index={index}
            rule={rule}
            writing={writing}
            onChange={onChange}
            onMove={(to) => changeRules((each) => moved(each, index, to))}
            onRemove={() => changeRules((each) => each.filter((_, place) => place !== index))}
            isLast={index === rules.length - 1}
          />
        ))}
      </ul>
      <AddRule stage={name} onAdd={(rule) => changeRules((each) => [...each, rule])} />
      {isObject(payouts) && (
        <ul aria-label={`Payouts of ${name}`} className="flex flex-col gap-4 border-t border-line pt-4">
          {Object.values(payoutSentences).map((sentence) => (
            <Term
              key={sentence.title}
              stage={name}
              sentence={sentence}
              terms={payouts}
              path={`${path}.payouts`}
              writing={writing}
            />
          ))}
          {Object.values(fundedSentences).map((sentence) => (
            <Term
              key={sentence.title}
              stage={name}
              sentence={sentence}
              terms={at(terms, path) ?? {}}
              path={path}
              writing={writing}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

interface TermProps {
  /** The name of the stage. */
  readonly stage: string
  readonly sentence: TitledSentence
  readonly terms: Json
  readonly path: string
  readonly writing: Writing
}

function Term({ stage, sentence, ...written }: TermProps) {
  return (
    <li>
      <div role="group" aria-label={`${sentence.title} in ${stage}`}>
        <p className="text-13 font-semibold">{sentence.title}</p>
        <SentenceFields sentence={sentence} {...written} />
      </div>
    </li>
  )
}

interface RuleProps {
  readonly terms: JsonObject
  readonly stage: number
  readonly index: number
  readonly rule: Json
  readonly writing: Writing
  readonly onChange: Change
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
  readonly isLast: boolean
}

function Rule({ terms, stage, index, rule, writing, onChange, onMove, onRemove, isLast }: RuleProps) {
  const sentence = sentenceOf(rule)
  const title = ruleKindLabels[kindOf(rule)] ?? 'A rule of an unknown kind'
  const name = nameOf(terms, stage)
  const copyTo = (others: readonly number[]) =>
    onChange((each) => others.reduce((copied, other) => withRule(copied, stage, index, other), each), 'stages')
  const others = listAt(terms, 'stages').flatMap((_, n) => (n === stage ? [] : [n]))
  return (
    <li>
      <div role="group" aria-label={`${title} in ${name}`}>
        <div className="flex items-center justify-between gap-2">
          <p className="text-13 font-semibold">{title}</p>
          <Menu label={`Actions for ${title} in ${name}`}>
            {others.map((other) => (
              <MenuItem key={other} onSelect={() => copyTo([other])}>
                {`Use in ${nameOf(terms, other)} too`}
              </MenuItem>
            ))}
            {others.length > 1 && <MenuItem onSelect={() => copyTo(others)}>Use in all stages</MenuItem>}
            {others.length > 0 && <MenuSeparator />}
            <MenuItem disabled={index === 0} onSelect={() => onMove(index - 1)}>
              Move Up
            </MenuItem>
            <MenuItem disabled={isLast} onSelect={() => onMove(index + 1)}>
              Move Down
            </MenuItem>
            <MenuItem dangerous onSelect={onRemove}>
              Remove
            </MenuItem>
          </Menu>
        </div>
        {sentence ? (
          <SentenceFields
            sentence={sentence}
            terms={rule}
            path={`stages[${stage}].rules[${index}]`}
            writing={writing}
          />
        ) : (
          <p className="text-13 text-bad">This rule is only in the JSON. Correct it there, or remove it.</p>
        )}
      </div>
    </li>
  )
}

interface AddRuleProps {
  /** The name of the stage. */
  readonly stage: string
  readonly onAdd: (rule: JsonObject) => void
}

function AddRule({ stage, onAdd }: AddRuleProps) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'keyboard'>()
  const open = ({ detail }: MouseEvent) => setOpenedBy(detail === 0 ? 'keyboard' : 'pointer')
  const button = (
    <Button
      look="secondary"
      className="self-start"
      aria-haspopup="menu"
      aria-label={`Add Rule to ${stage}`}
      {...(openedBy === undefined && { onClick: open })}
    >
      <Plus size={14} aria-hidden />
      Add Rule
    </Button>
  )
  if (openedBy === undefined) return button
  return (
    <OpenMenu button={button} startsOnItem={openedBy === 'keyboard'}>
      {Object.entries(ruleSentences).map(([kind, { initial }]) => (
        <MenuItem key={kind} onSelect={() => onAdd(initial)}>
          {ruleKindLabels[kind]}
        </MenuItem>
      ))}
      <MenuSeparator />
      {rulePresets.map(({ name, rule }) => (
        <MenuItem key={name} onSelect={() => onAdd(rule)}>
          Preset: {name}
        </MenuItem>
      ))}
    </OpenMenu>
  )
}

/** Adds a phase before the funded stage, or the funded stage where there is none. */
export function AddStage({ terms, onChange }: Pick<StageCardProps, 'terms' | 'onChange'>) {
  const stages = listAt(terms, 'stages')
  const isFunded = (stage: Json) => at(stage, 'funded') === true
  const addPhase = (each: JsonObject): JsonObject => {
    const present = listAt(each, 'stages')
    const phases = present.filter((stage) => !isFunded(stage))
    const last = phases.at(-1)
    const name = `Phase ${phases.length + 1}`
    const phase = isObject(last) ? { ...last, name } : { name, funded: false, rules: [] }
    return { ...each, stages: [...phases, phase, ...present.filter(isFunded)] }
  }
  const addFunded = (each: JsonObject): JsonObject => {
    const funded: Json = presetTerms('one-step', 100_000).stages.filter((stage) => stage.funded)
    return { ...each, stages: [...listAt(each, 'stages'), ...funded] }
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="secondary" onClick={() => onChange(addPhase, 'stages')}>
        <Plus size={14} aria-hidden />
        Add Phase
      </Button>
      {!stages.some(isFunded) && (
        <Button look="secondary" onClick={() => onChange(addFunded, 'stages')}>
          <Plus size={14} aria-hidden />
          Add Funded Stage
        </Button>
      )}
    </div>
  )
}

function nameOf(terms: JsonObject, stage: number): string {
  return textAt(terms, `stages[${stage}].name`) || `Stage ${stage + 1}`
}

function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list.slice(from, from + 1)
  const rest = list.filter((_, n) => n !== from)
  return [...rest.slice(0, to), ...item, ...rest.slice(to)]
}

/** The terms with a rule of one stage in another, in place of the first of its kind there. */
function withRule(terms: JsonObject, from: number, index: number, to: number): JsonObject {
  const rule = at(terms, `stages[${from}].rules[${index}]`)
  if (rule === undefined) return terms
  const rules = listAt(terms, `stages[${to}].rules`)
  const place = rules.findIndex((each) => kindOf(each) === kindOf(rule))
  return withValue(terms, `stages[${to}].rules[${place === -1 ? rules.length : place}]`, rule)
}
