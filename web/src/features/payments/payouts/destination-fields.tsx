import { walletNetworkLabels, walletNetworks } from '#services/trading/stream/payout-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import type { FieldProps } from '@/form/api-form.ts'
import type { DestinationValues } from './destination-values.ts'
import { detailsFields } from './methods.ts'

type Name = 'paymentDetails' | 'account' | `destination.${keyof DestinationValues}`

interface DestinationFieldsProps {
  readonly method: PayoutMethod
  readonly account: string
  readonly network: string
  readonly field: (name: Name) => FieldProps
}

const accounts = [
  { value: 'iban', label: 'IBAN' },
  { value: 'number', label: 'Account number and BIC' },
]
const networks = optionsOf(walletNetworks, walletNetworkLabels)

/** Where the money goes. In words it is kept as it is; all else is checked by the server. */
export function DestinationFields({ method, account, network, field }: DestinationFieldsProps) {
  const details = detailsFields[method]
  if (method === 'paypal' || method === 'skrill')
    return <TextInput {...details} autoComplete="email" {...field('destination.email')} />
  if (method === 'crypto')
    return (
      <>
        <TextInput
          {...details}
          autoComplete="off"
          spellCheck={false}
          {...field(network === '' ? 'paymentDetails' : 'destination.address')}
        />
        <Select
          label="Network"
          placeholder="Not checked"
          options={networks}
          hint="With its network, the address is checked for slips."
          {...field('destination.network')}
        />
      </>
    )
  return (
    <>
      <Select
        label="Bank account by"
        placeholder="My own words, not checked"
        options={accounts}
        hint="An IBAN or account number is checked for slips."
        {...field('account')}
      />
      {account === '' ? (
        <TextArea label={details.label} placeholder={details.placeholder} {...field('paymentDetails')} />
      ) : (
        <>
          <TextInput label="Account Holder" autoComplete="name" {...field('destination.holder')} />
          {account === 'iban' ? (
            <TextInput label="IBAN" autoComplete="off" spellCheck={false} {...field('destination.iban')} />
          ) : (
            <>
              <TextInput
                label="Account Number"
                autoComplete="off"
                spellCheck={false}
                {...field('destination.accountNumber')}
              />
              <TextInput label="Bank Name" autoComplete="off" {...field('destination.bankName')} />
            </>
          )}
          <TextInput
            label={account === 'iban' ? 'BIC (optional)' : 'SWIFT/BIC'}
            autoComplete="off"
            spellCheck={false}
            {...field('destination.bic')}
          />
        </>
      )}
    </>
  )
}
