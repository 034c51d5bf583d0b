import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '@/ui/button.tsx'
import { AlertDialog, Dialog } from '@/ui/dialog.tsx'
import { FormError } from '@/ui/states.tsx'

interface FormDialogProps extends Pick<
  ComponentProps<typeof Dialog>,
  'title' | 'description' | 'about' | 'width' | 'onClose' | 'children'
> {
  /** The text of the submit button: 'Save Changes'. */
  readonly submit: string
  /** The change that it sends. */
  readonly change: { readonly isPending: boolean; readonly error: Error | null }
  readonly disabled?: boolean
  readonly dangerous?: boolean
  readonly onSubmit: (event: FormEvent) => void
}

/** A form over the page; its buttons are always visible. Ctrl Enter or ⌘ Enter sends it. */
export function FormDialog({
  submit,
  change,
  disabled = false,
  dangerous = false,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const wasPending = useRef(false)
  useEffect(() => {
    // A refusal leads to the first field at fault, or to the first that the answer asks for.
    if (wasPending.current && !change.isPending)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-asked]')?.focus()
    wasPending.current = change.isPending
  }, [change.isPending])
  return (
    <Dialog
      {...dialog}
      onSubmitKey={() => !disabled && !change.isPending && form.current?.requestSubmit()}
      footer={
        <>
          <Button look="secondary" onClick={dialog.onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={id}
            look={dangerous ? 'danger' : 'primary'}
            busy={change.isPending}
            disabled={disabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form ref={form} noValidate onSubmit={onSubmit} id={id} className="flex flex-col gap-5">
        {children}
        <FormError error={change.error} />
      </form>
    </Dialog>
  )
}

interface ChangeDialogProps<Answer, Input, Before> extends Pick<
  ComponentProps<typeof AlertDialog>,
  'title' | 'description' | 'onClose'
> {
  /** The button sends `input` to this change. */
  readonly change: UseMutationOptions<Answer, Error, Input, Before>
  readonly input: Input
  /** The text of the button, red unless it is primary. */
  readonly label: string
  readonly look?: 'primary'
  /** Open after a failure too, to be sent again. */
  readonly staysAfterFailure?: boolean
}

/** Asks before a change that cannot be undone, and sends it. */
export function ChangeDialog<Answer, Input, Before>({
  change,
  input,
  label,
  look,
  staysAfterFailure = false,
  ...dialog
}: ChangeDialogProps<Answer, Input, Before>) {
  const { isPending: busy, mutate } = useMutation(change)
  const onClick = () => mutate(input, { [staysAfterFailure ? 'onSuccess' : 'onSettled']: dialog.onClose })
  return <AlertDialog {...dialog} action={{ label, busy, onClick, ...(look && { look }) }} />
}

interface FormSectionProps {
  readonly title: string
  readonly disabled?: boolean
  readonly children: ReactNode
}

/** A part of a longer form. */
export function FormSection({ title, disabled, children }: FormSectionProps) {
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-3 text-14 font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}
