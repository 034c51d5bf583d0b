import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { z } from 'zod'
import { Button } from '@/ui/button.tsx'
import { Checkbox, Select, TextInput } from '@/ui/field.tsx'

/** The fields of a document by its JSON Schema: every parameter of the terms of a programme, at its place. */

export type Schema = z.core.JSONSchema.BaseSchema
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

interface FieldProps<Value extends Json = Json> {
  readonly schema: Schema
  readonly value: Value
  /** Its path in the document, as faults name it. */
  readonly path: string
  readonly label: string
  readonly faults: ReadonlyMap<string, string>
  /** @param changed The path of the field that was changed. */
  readonly onChange: (value: Json, changed: string) => void
}

/** A part of the document, by its kind. */
export function SchemaField({ schema, ...field }: FieldProps) {
  const branches = branchesOf(schema)
  if (branches) return <Choice branches={branches} {...field} />
  const { value } = field
  if (Array.isArray(value)) return <Items {...field} schema={schema} value={value} />
  if (isObject(value))
    return (
      <Group label={field.label} fault={field.faults.get(field.path)}>
        <Members {...field} schema={schema} value={value} />
      </Group>
    )
  return <Value {...field} schema={schema} />
}

/** The members of an object. Those that may be left out and are, are written in the JSON. */
export function Members({ schema, value, path, faults, onChange }: Omit<FieldProps<JsonObject>, 'label'>) {
  const properties = Object.entries(schema.properties ?? {})
  const members = properties.map(([name, property]) => {
    const member = value[name]
    if (typeof property === 'boolean' || property.const !== undefined || member === undefined) return null
    return (
      <SchemaField
        key={name}
        schema={property}
        value={member}
        path={path === '' ? name : `${path}.${name}`}
        label={inWords(name)}
        faults={faults}
        onChange={(next, changed) => onChange({ ...value, [name]: next }, changed)}
      />
    )
  })
  return <>{members}</>
}

/** One of several forms: an amount or a percentage, a kind of rule, or nothing. */
function Choice({ branches, ...field }: Omit<FieldProps, 'schema'> & { readonly branches: readonly Schema[] }) {
  const { value, label, path, faults } = field
  const chosen = branches.findIndex((branch) => fits(branch, value))
  const branch = branches[chosen]
  return (
    <Group label={label} fault={faults.get(path)}>
      <Select
        label="Kind"
        options={[
          ...(branch ? [] : [{ value: '', label: 'Please choose' }]),
          ...branches.map((each, n) => ({ value: String(n), label: branchName(each, branches) })),
        ]}
        value={branch ? String(chosen) : ''}
        onChange={({ target }) => {
          const next = branches[Number(target.value)]
          if (next) field.onChange(keptOf(blankOf(next), value), path)
        }}
      />
      {branch && isObject(value) && <Members {...field} schema={branch} value={value} />}
      {branch && typeof value !== 'object' && <Value {...field} schema={branch} />}
    </Group>
  )
}

function Items({ schema, value, label, path, faults, onChange }: FieldProps<readonly Json[]>) {
  const item = typeof schema.items === 'object' && !Array.isArray(schema.items) ? schema.items : undefined
  const one = label.replace(/ies$/, 'y').replace(/s$/, '')
  return (
    <Group label={label} fault={faults.get(path)}>
      {value.map((each, n) => (
        <div key={n} className="flex flex-col gap-2">
          {item && (
            <SchemaField
              schema={item}
              value={each}
              path={`${path}[${n}]`}
              label={`${one} ${n + 1}`}
              faults={faults}
              onChange={(next, changed) =>
                onChange(
                  value.map((other, at) => (at === n ? next : other)),
                  changed,
                )
              }
            />
          )}
          <Button
            look="quiet"
            className="self-start"
            onClick={() =>
              onChange(
                value.filter((_, at) => at !== n),
                path,
              )
            }
          >
            <Trash2 size={14} aria-hidden />
            Remove {one} {n + 1}
          </Button>
        </div>
      ))}
      {item && (
        <Button look="secondary" className="self-start" onClick={() => onChange([...value, blankOf(item)], path)}>
          <Plus size={14} aria-hidden />
          Add {one}
        </Button>
      )}
    </Group>
  )
}

function Value({ schema, value, label, path, faults, onChange }: FieldProps) {
  const error = faults.get(path)
  if (schema.type === 'boolean')
    return (
      <Checkbox
        label={label}
        error={error}
        checked={value === true}
        onChange={({ target }) => onChange(target.checked, path)}
      />
    )
  if (schema.enum)
    return (
      <Select
        label={label}
        error={error}
        options={schema.enum.map((each) => ({ value: String(each), label: inWords(String(each)) }))}
        value={String(value)}
        onChange={({ target }) => onChange(target.value, path)}
      />
    )
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  return (
    <TextInput
      label={label}
      error={error}
      autoComplete="off"
      spellCheck={false}
      {...(isNumber && { inputMode: 'numeric' as const })}
      value={typeof value === 'object' ? '' : String(value)}
      onChange={({ target }) =>
        onChange(isNumber && /^\d+$/.test(target.value) ? Number(target.value) : target.value, path)
      }
    />
  )
}

interface GroupProps {
  readonly label: string
  readonly fault: string | undefined
  readonly children: ReactNode
}

function Group({ label, fault, children }: GroupProps) {
  const id = useId()
  return (
    <fieldset
      aria-describedby={fault === undefined ? undefined : id}
      className="flex min-w-0 flex-col gap-3 border-l-2 border-line pl-3"
    >
      <legend className="mb-2 text-13 font-semibold">{label}</legend>
      {fault !== undefined && (
        <p id={id} className="text-13 text-bad">
          {fault}
        </p>
      )}
      {children}
    </fieldset>
  )
}

function branchesOf(schema: Schema): readonly Schema[] | undefined {
  const branches = schema.oneOf ?? schema.anyOf
  return branches?.flatMap((branch) => (typeof branch === 'object' ? (branchesOf(branch) ?? [branch]) : []))
}

/** Whether a value has the form of a branch: its constants, or at least its members. */
function fits(branch: Schema, value: Json): boolean {
  if (branch.type === 'null') return value === null
  if (branch.type !== 'object') return value !== null && typeof value !== 'object'
  if (!isObject(value)) return false
  const constants = constantsOf(branch)
  return constants.length > 0
    ? constants.every(([name, constant]) => value[name] === constant)
    : (branch.required ?? []).every((name) => name in value)
}

function constantsOf({ properties = {} }: Schema): (readonly [string, unknown])[] {
  return Object.entries(properties).flatMap(([name, property]) =>
    typeof property === 'object' && property.const !== undefined ? [[name, property.const] as const] : [],
  )
}

function branchName(branch: Schema, branches: readonly Schema[]): string {
  if (branch.type === 'null') return 'None'
  if (branches.filter(({ type }) => type !== 'null').length === 1) return 'Set'
  const [constant] = constantsOf(branch)
  if (constant?.[0] === 'funded') return constant[1] === true ? 'Funded' : 'Evaluation'
  if (constant) return inWords(String(constant[1]))
  return (branch.required ?? []).slice(0, 1).map(inWords).join(', ')
}

/** A value of this form with nothing filled in. */
function blankOf(schema: Schema): Json {
  const [branch] = branchesOf(schema) ?? []
  if (branch) return blankOf(branch)
  if (schema.const !== undefined) return jsonOf(schema.const)
  if (schema.enum) return jsonOf(schema.enum[0])
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).flatMap((name) => {
          const property = schema.properties?.[name]
          return typeof property === 'object' ? [[name, blankOf(property)] as const] : []
        }),
      )
    case 'array':
      return []
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return ''
  }
}

/** Keeps the values of the form before under the same names, except those that tell the forms apart. */
function keptOf(blank: Json, before: Json): Json {
  if (!isObject(blank) || !isObject(before)) return blank
  return Object.fromEntries(
    Object.entries(blank).map(([name, value]) => {
      const old = before[name]
      const isKept = old !== undefined && typeof old === typeof value && !['kind', 'funded', 'what'].includes(name)
      return [name, isKept ? old : value] as const
    }),
  )
}

function jsonOf(value: unknown): Json {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** 'firstAfterDays' and 'first-after-days' as people read them: 'First after days'. */
function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
