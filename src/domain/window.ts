/** When something may happen: ISO weekdays (1 is Monday), from a local time to a local time of the same day. */
export interface Window {
  days: number[];
  /** `09:00` */
  from: string;
  /** `17:00`; later than `from`. */
  to: string;
}
