import type { ListedReplyTemplate } from '#services/payments/reply-templates/reply-template-api.ts'
import { Select } from '@/ui/field.tsx'

interface ReplyTemplateSelectProps {
  readonly templates: readonly ListedReplyTemplate[]
  /** What was written so far. */
  readonly notes: string
  readonly onChange: (notes: string) => void
  readonly disabled?: boolean
}

/** Begins the notes of a rejection with a text of the firm; nothing where the firm has none. */
export function ReplyTemplateSelect({ templates, notes, onChange, disabled = false }: ReplyTemplateSelectProps) {
  if (templates.length === 0) return null
  // What was typed stays: only the text of another template gives way.
  const choose = (template: string) => {
    const { text = '' } = templates.find(({ id }) => id === template) ?? {}
    const isTyped = notes.trim() !== '' && templates.every((each) => each.text !== notes)
    if (!isTyped) onChange(text)
    else if (text !== '') onChange(`${notes.trimEnd()}\n\n${text}`)
  }
  return (
    <Select
      label="Reply Template"
      disabled={disabled}
      options={[{ value: '', label: 'No template' }, ...templates.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={({ target }) => choose(target.value)}
    />
  )
}
