import { useMutation } from '@tanstack/react-query'
import { AccountClosing } from '#services/trading/accounts/account-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextArea } from '@/ui/field.tsx'
import { accountName } from '@/format/account-name.ts'
import type { UserFormProps } from './staff-account-form.tsx'
import { closeAccount } from './staff-account-queries.ts'

/** Closes an account for good, for a reason. */
export function CloseAccountForm({ user, onClose }: UserFormProps) {
  const { id, fullName, email, tradingAccount: account } = user
  const close = useMutation(closeAccount)
  const { field, handleSubmit, showRefusal } = useApiForm(AccountClosing, { reason: '' })
  const onSubmit = handleSubmit(({ reason }) => {
    if (account)
      close.mutate({ id, fullName, account: account.id, reason }, { onSuccess: onClose, onError: showRefusal })
  })
  return (
    <FormDialog
      title="Close Account"
      description={`${account ? accountName(account) : 'The account'} of ${fullName} (${email})`}
      submit="Close Account"
      dangerous
      change={close}
      disabled={!account?.open}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {account?.open === false ? (
        <p>This account is closed already.</p>
      ) : (
        <>
          <p>
            The account ends for good: nothing about it can be changed, no payout can be requested, and its login is
            free for another account. Its history, payouts and certificates stay.
          </p>
          <TextArea label="Reason" hint="The trader reads it." maxLength={2000} {...field('reason')} />
        </>
      )}
    </FormDialog>
  )
}
