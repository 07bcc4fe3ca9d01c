/** Words that texts for models have whatever they are about: they tell nothing about one. */
export const usualWords: ReadonlySet<string> = new Set(
  `a about above across act actual actually add added additional after again against ai all allow along already also always am among an
  and annotation another answer answers any anything apply appropriate are area areas around as ask asked asking assist assistant at
  available avoid back based basic be because become been before begin being below best better between beyond both bring but by call can
  cannot case cases change changes check choose clear clearly close com come common complete comprehensive concise consider consistent
  contain containing contains content context copy core correct could cover create created creates creating current day deep define
  deliver describe described description detail detailed details determine develop did different direct do document does done down during
  each either else end ensure ensures ensuring etc even every everything example examples excellent exactly existing expert expertise
  expertly explain extra false fact feel few field fields file files final find first five focus focused follow following follows for
  form format four from full further general generate generated generates generating get give given gives go goal goals good great guide
  guidelines had handle has have having help helpful helps her here high highly him his how however idea ideas identify identity if
  implement important improve in include included includes including individual info information initial input inputs instead
  instruction instructions into is issue issues it item items its itself just keep key kind know knowledge known language large last
  later least less let level like limit line lines list listed lists ll look looking made main make makes making many master matter may
  me mean means meet might mode model models more most much multiple must my name named need needed needs never new next no non not note
  notes now number numbers of off often on once one only onto open optimal option optional options or order other others otherwise our
  out output outputs over overview own pages part particular parts path people perform persona place please point points possible
  potential practices present previous primary principles prior process produce proper properly provide provided provides providing
  purpose put quality question questions quick rather re read ready real really receive relevant remember repeat replace reply request
  requests require required requirements requires respond response responses result results return returns right role rule rules run
  same say section sections see select sentence set several shall share she short should show simple since single situation skill skills
  small so some someone something specific specified specify stage standard start state statement stay step steps still structure
  structured style subject such suggest suggestions support sure system take takes task tasks team tell term terms text than that the
  their them themselves then there these they thing things think this those though three through thus time times tip tips to together
  tone too tool tools top topic topics total toward true try turn two type types understand unless until up upon us use used useful user
  users uses using ve value values various very via want was way ways we well were what when where whether which while who whole whose
  why will with within without word words work working would write writes writing written yes yet you your yours yourself md readme
  arguments args prompt prompts agent agents variable variables message messages conversation request response claude gpt chatgpt llm
  copilot human humans person professional world class years experience experienced senior specialist specialized specializing skilled
  advanced effective effectively efficient efficiently proficient thorough thoroughly deeply carefully necessary based approach always
  don doesn isn won can't i'm it's you're we'll let's id ids eg ie vs www http https html co uk null none undefined bullet bullets
  markdown heading headings title titles summary template templates placeholder default currently key keys bold plain exact capable
  pattern patterns best-practices aspect aspects ability abilities side sides able across world major minor latest modern right wrong
  trigger triggers triggered invoke invoked proactively whenever mention mentions mentioned explicit explicitly phase phases
  ll d s t m re nbsp e g i n x y z b c f h j k l o p q r u v w`.split(/\s+/),
);
