import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LONGEST_NOTE } from '#services/framework/api/text.ts'
import { type ListedReplyTemplate, NewReplyTemplate } from '#services/payments/reply-templates/reply-template-api.ts'
import { LONGEST_TEMPLATE_NAME } from '#services/payments/reply-templates/reply-template-vocabulary.ts'
import { useMay } from '@/features/frame/access.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { TextArea, TextInput } from '@/ui/field.tsx'
import { Loaded, LoadingLines } from '@/ui/states.tsx'
import { removeReplyTemplate, replyTemplatesQuery, saveReplyTemplate } from './reply-template-queries.ts'

/** The texts of the firm for rejections, for those who may change them. */
export function ReplyTemplatesCard() {
  const maySet = useMay('set-up-firm')
  const templates = useQuery({ ...replyTemplatesQuery, enabled: maySet })
  const remove = useMutation(removeReplyTemplate)
  const [dialog, setDialog] = useState<'new' | ListedReplyTemplate>()
  if (!maySet) return null
  const small = { look: 'quiet', className: 'h-8! px-2! text-13!' } as const
  return (
    <Card
      title="Reply templates"
      action={
        <Button look="secondary" onClick={() => setDialog('new')}>
          Add Template
        </Button>
      }
    >
      <Loaded query={templates} failure="The templates could not be loaded" loading={<LoadingLines lines={2} />}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-13 text-muted">None. Notes of rejections begin empty.</p>
          ) : (
            <ul aria-label="Reply templates" className="divide-y divide-line">
              {list.map((template) => (
                <li key={template.id} className="flex items-start justify-between gap-3 py-2">
                  <div className="min-w-0">
                    <p className="font-medium">{template.name}</p>
                    <p className="text-13 [overflow-wrap:anywhere] whitespace-pre-line text-muted">{template.text}</p>
                  </div>
                  <div className="flex shrink-0">
                    <Button {...small} aria-label={`Change ${template.name}`} onClick={() => setDialog(template)}>
                      Change
                    </Button>
                    <Button
                      {...small}
                      aria-label={`Delete ${template.name}`}
                      busy={remove.isPending && remove.variables.id === template.id}
                      onClick={() => remove.mutate(template)}
                    >
                      Delete
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {dialog && <TemplateForm template={dialog === 'new' ? undefined : dialog} onClose={() => setDialog(undefined)} />}
    </Card>
  )
}

interface TemplateFormProps {
  readonly template: ListedReplyTemplate | undefined
  readonly onClose: () => void
}

function TemplateForm({ template, onClose }: TemplateFormProps) {
  const save = useMutation(saveReplyTemplate)
  const { field, handleSubmit, showRefusal } = useApiForm(NewReplyTemplate, template ?? { name: '', text: '' })
  const onSubmit = handleSubmit((values) => save.mutate(values, { onSuccess: onClose, onError: showRefusal }))
  return (
    <FormDialog
      title={template ? 'Change Template' : 'Add Template'}
      {...(template && { about: template.id })}
      description="Staff choose it when they reject a payout, and can edit the text before it is sent. The trader reads it."
      submit="Save Template"
      change={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        hint={template ? 'Its name finds it: another name makes another template.' : undefined}
        autoComplete="off"
        maxLength={LONGEST_TEMPLATE_NAME}
        {...field('name')}
      />
      <TextArea label="Text" rows={5} maxLength={LONGEST_NOTE} {...field('text')} />
    </FormDialog>
  )
}
