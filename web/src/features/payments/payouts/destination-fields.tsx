import { useId } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { coinsOn } from '#services/trading/stream/coin-vocabulary.ts'
import { walletNetworkLabels, walletNetworks } from '#services/trading/stream/payout-vocabulary.ts'
import type { FieldProps } from '@/form/api-form.ts'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { type DestinationValues, IN_WORDS } from './destination-values.ts'
import { detailsFields } from './methods.ts'

type Name = 'paymentDetails' | 'account' | `destination.${keyof DestinationValues}`

interface DestinationFieldsProps {
  readonly method: PayoutMethod
  readonly account: string
  readonly network: string
  /** A request may say it in the trader's own words. */
  readonly allowsWords?: boolean
  readonly field: (name: Name, options?: { readonly onChange: () => void }) => FieldProps
  /** Another network was chosen: the coin before need not exist on it. */
  readonly onNetwork: () => void
}

const accounts = [
  { value: 'iban', label: 'IBAN' },
  { value: 'number', label: 'Account number and BIC' },
]
const networks = optionsOf(walletNetworks, walletNetworkLabels)
const inWords = { value: IN_WORDS, label: 'In my own words, not checked' }
const WORDS_MEAN = 'Nobody checks it for slips, and the payment waits until somebody has read it.'

/** Where the money goes. In words it is kept as it is; all else is checked by the server. */
export function DestinationFields({
  method,
  account,
  network,
  allowsWords = false,
  field,
  onNetwork,
}: DestinationFieldsProps) {
  const heading = useId()
  const known = walletNetworks.find((one) => one === network)
  const details = detailsFields[method]
  const more = allowsWords ? [inWords] : []
  if (method === 'paypal' || method === 'skrill')
    return <TextInput {...details} autoComplete="email" {...field('destination.email')} />
  if (method === 'crypto')
    return (
      <>
        <Select
          label="Network"
          placeholder="Please select a network"
          options={[...networks, ...more]}
          hint={network === IN_WORDS ? WORDS_MEAN : 'With its network, the address is checked for slips.'}
          {...field('destination.network', { onChange: onNetwork })}
        />
        <TextInput
          {...details}
          autoComplete="off"
          spellCheck={false}
          {...field(network === IN_WORDS ? 'paymentDetails' : 'destination.address')}
        />
        {known && (
          <Select
            label="Coin"
            placeholder="As the firm pays"
            options={coinsOn(known).map((coin) => ({ value: coin, label: coin }))}
            hint={
              known === 'BEP20' ? 'On this network coins are Binance-Peg, not issued by Circle or Tether.' : undefined
            }
            {...field('destination.coin')}
          />
        )}
      </>
    )
  const choice = (
    <Select
      label="Bank account by"
      options={[...accounts, ...more]}
      hint={account === IN_WORDS ? WORDS_MEAN : 'An IBAN or account number is checked for slips.'}
      {...field('account')}
    />
  )
  if (account === IN_WORDS)
    return (
      <>
        {choice}
        <TextArea label={details.label} placeholder={details.placeholder} {...field('paymentDetails')} />
      </>
    )
  return (
    <div role="group" aria-labelledby={heading} className="flex flex-col gap-4">
      <p id={heading} className="text-13 text-muted">
        {details.label}
      </p>
      {choice}
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
    </div>
  )
}
