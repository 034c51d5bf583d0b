import type { Option } from '@/ui/field.tsx'

/** The country choices (specification §2). */
export const countries: readonly Option[] = [
  { value: 'us', label: 'United States' },
  { value: 'uk', label: 'United Kingdom' },
  { value: 'ca', label: 'Canada' },
  { value: 'au', label: 'Australia' },
  { value: 'fr', label: 'France' },
  { value: 'de', label: 'Germany' },
  { value: 'jp', label: 'Japan' },
  { value: 'cn', label: 'China' },
]

/** The name of a country; an unknown value is shown as it is. */
export function countryName(country: string): string {
  return countries.find(({ value }) => value === country)?.label ?? country
}
