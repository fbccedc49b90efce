// The grammar of Baker, for ANTLR 4.
//
// It accepts more than the language. Semantic analysis, which knows names and
// types, checks where declarations are allowed, what can be assigned to and the
// like, so that its messages are sentences and not lists of tokens. Three
// decisions keep the grammar unambiguous:
//
//  * `u48`, `s8` … are tokens, so `(u32)mac >> 24` is a cast and
//    `(mac) >> 24` is not, without knowing any names;
//  * `NAME * NAME` at the start of a statement is a declaration of a packet
//    handle; as an expression it would compute nothing;
//  * words such as `metadata`, `protocol` and `in` are keywords only where a
//    declaration can begin; they can name fields (`protocol : 8;`).
grammar Baker;

program : topLevel* EOF ;

topLevel
  : importDeclaration
  | instanceDeclaration
  | staticAssert
  | 'private'? constDeclaration
  | 'private'? enumDeclaration
  | protocolDeclaration
  | 'private'? structDeclaration
  | 'private'? tableDeclaration
  | moduleDeclaration
  | metadataDeclaration
  | dropReasonDeclaration
  | ppfBody
  | variableOrFunction
  | ';'
  ;

// `import net.ether;` reads net/ether.baker.
importDeclaration : 'import' fieldName ('.' fieldName)* ';' ;

staticAssert : 'static_assert' '(' expression ')' ';' ;

constDeclaration
  : 'const' type IDENT dimension* '=' initializer ';'
  ;

enumDeclaration
  : 'enum' IDENT? '{' enumerator (',' enumerator)* ','? '}' ';'
  ;
enumerator : IDENT ('=' expression)? ;

// ---- Protocols and data ----------------------------------------------------

protocolDeclaration : 'protocol' IDENT '{' protocolItem* '}' ';'? ;
// A width such as `32[10]` parses as an index; the tree splits it.
protocolItem
  : 'demux' '{' expression ';'? '}' ';'?              # demuxItem
  | fieldName ':' expression ';'                      # fieldItem
  ;

structDeclaration : 'struct' IDENT '{' structField* '}' ';'? ;
structField : 'private'? type '*'? fieldName dimension* ';' ;
dimension : '[' expression? ']' ;

// The words `key`, `value`, `counters`, `entries`, `size`, `limit`, `idle` and
// those before the type of a field are names to the grammar, as in all other
// places. `table` is a keyword only before a name and a brace.
tableDeclaration : 'table' IDENT '{' tableItem* '}' ';'? ;
tableItem
  : IDENT '{' tableField* '}' ';'?                              # tableFields
  | IDENT '{' tableRow (',' tableRow)* ','? '}' ';'?            # tableRows
  | IDENT '{' (IDENT ';')+ '}' ';'?                             # tableNames
  | IDENT ';'                                                   # tableFlag
  | 'default' tableRow ';'?                                     # tableDefault
  | IDENT expression ';'                                        # tableNumber
  ;
tableField : IDENT? type fieldName ';' ;
tableRow : '{' tableValue (',' tableValue)* ','? '}' ;
tableValue : (fieldName ':')? expression ('..' expression)? ;

metadataDeclaration : 'metadata' '{' metadataField* '}' ';'? ;
metadataField : 'private'? type fieldName ';' ;

dropReasonDeclaration : 'drop_reason' IDENT (',' IDENT)* ';' ;

// ---- Modules ---------------------------------------------------------------

// A module with parameters is a template: each instance is a separate module.
moduleDeclaration
  : 'module' IDENT moduleParameters? '{' moduleItem* '}' ';'?
  ;
moduleParameters
  : '(' (moduleParameter (',' moduleParameter)*)? ')'
  ;
moduleParameter : type IDENT ;
instanceDeclaration : 'instance' IDENT '=' IDENT '(' arguments? ')' ';' ;

moduleItem
  : staticAssert
  | 'private'? constDeclaration
  | 'private'? enumDeclaration
  | 'private'? structDeclaration
  | 'private'? tableDeclaration
  | metadataDeclaration
  | dropReasonDeclaration
  | ppfDeclaration
  | wiringDeclaration
  | ppfBody
  | variableOrFunction
  | ';'
  ;

ppfDeclaration
  : annotation* 'private'? 'ppf' IDENT '{' endpoint* '}' ';'?
  ;
annotation : '@' IDENT ('(' (RATE | expression) ')')? ;
endpoint : ('in' | 'out') type '*'? IDENT ';' ;

wiringDeclaration : 'wiring' '{' wire* '}' ';'? ;
wire : endpointName '->' endpointName ';' ;
endpointName : IDENT ('.' IDENT)* receivePorts? ;
receivePorts : '[' expression (',' expression)* ']' ;

ppfBody : bodyName '(' parameters? ')' block ;
bodyName : IDENT ('.' IDENT)* '.' ('ppf' | IDENT) ;

variableOrFunction
  : annotation* 'private'? ('control' | 'init')? type '*'? IDENT
    '(' parameters? ')' block                             # functionDeclaration
  | annotation* 'private'? type declarator (',' declarator)* ';'
                                                          # variableDeclaration
  ;
parameters : parameter (',' parameter)* ;
parameter : type '*'? IDENT? dimension* ;
declarator : '*'? IDENT dimension* ('=' initializer)? ;
initializer
  : expression
  | '{' (initializer (',' initializer)* ','?)? '}'
  ;

// ---- Types -----------------------------------------------------------------

type : scalarType | 'void' | IDENT ('.' IDENT)? ;
scalarType : SIZED_TYPE | 'bool' | 'int' | 'unsigned' ;

// ---- Statements ------------------------------------------------------------

block : '{' statement* '}' ;

statement
  : block                                                     # blockStatement
  | constDeclaration                                          # constStatement
  | staticAssert                                             # assertStatement
  | type declarator (',' declarator)* ';'               # declarationStatement
  | 'if' '(' expression ')' statement ('else' statement)?     # ifStatement
  | 'while' '(' expression ')' statement                      # whileStatement
  | 'do' statement 'while' '(' expression ')' ';'             # doStatement
  | 'for' '(' forInit? ';' condition=expression? ';'
    step=expressionList? ')' statement                        # forStatement
  | 'switch' '(' expression ')' '{' switchItem* '}'           # switchStatement
  | 'critical' '(' expression ')' statement                 # criticalStatement
  | annotation statement                                   # annotatedStatement
  | 'break' ';'                                               # breakStatement
  | 'continue' ';'                                            # continueStatement
  | 'return' expression? ';'                                  # returnStatement
  | expression ';'                                         # expressionStatement
  | ('case' expression | 'default') ':'                       # strayLabel
  | ';'                                                       # emptyStatement
  ;

forInit
  : type declarator (',' declarator)*
  | expressionList
  ;
expressionList : expression (',' expression)* ;

switchItem
  : 'case' expression ':'                                     # caseItem
  | 'default' ':'                                             # defaultItem
  | statement                                                 # statementItem
  ;

// ---- Expressions, strongest binding first ----------------------------------

expression
  : primary                                                   # primaryExpression
  | expression '(' arguments? ')'                             # callExpression
  | expression '[' expression ']'                             # indexExpression
  | expression op=('.' | '->') fieldName                      # fieldExpression
  | expression op=('++' | '--')                               # postfixExpression
  | op=('++' | '--' | '+' | '-' | '!' | '~' | '&' | '*') expression
                                                              # unaryExpression
  | '(' scalarType ')' expression                             # castExpression
  | expression op=('*' | '/' | '%') expression                # binaryExpression
  | expression op=('+' | '-') expression                      # binaryExpression
  | expression op=('<<' | '>>') expression                    # binaryExpression
  | expression op=('<' | '>' | '<=' | '>=') expression        # binaryExpression
  | expression op=('==' | '!=') expression                    # binaryExpression
  | expression op='&' expression                              # binaryExpression
  | expression op='^' expression                              # binaryExpression
  | expression op='|' expression                              # binaryExpression
  | expression op='&&' expression                             # binaryExpression
  | expression op='||' expression                             # binaryExpression
  | <assoc=right> expression '?' expression ':' expression
                                                         # conditionalExpression
  | <assoc=right> expression
    op=('=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<='
        | '>>=') expression                                # assignmentExpression
  ;

primary
  : NUMBER                                                    # numberPrimary
  | RATE                                                      # ratePrimary
  | CHARACTER                                                 # characterPrimary
  | STRING                                                    # stringPrimary
  | ('true' | 'false')                                        # boolPrimary
  | IDENT                                                     # namePrimary
  | 'sizeof' '(' (scalarType | IDENT ('.' IDENT)?) ')'        # sizeofPrimary
  | '(' expression ')'                                        # parenPrimary
  ;
arguments : expression (',' expression)* ;

// Some keywords can name fields.
fieldName
  : IDENT | 'protocol' | 'metadata' | 'module' | 'ppf' | 'in' | 'out'
  | 'control' | 'init' | 'wiring' | 'demux' | 'drop_reason' | 'default'
  | 'import' | 'instance' | 'critical' | 'private'
  ;

// ---- Tokens ----------------------------------------------------------------

SIZED_TYPE : [us] [0-9]+ ;
IDENT : [a-zA-Z_] [a-zA-Z_0-9]* ;
// Any word that begins with a digit; its digits are checked later.
NUMBER : [0-9] [a-zA-Z_0-9]* ;
RATE : [0-9]+ ('.' [0-9]+)? [eE] '-' [0-9]+ | [0-9]+ '.' [0-9]+ ;
STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '"'? ;
// One character; several are reported later.
CHARACTER : '\'' (~['\\\r\n] | '\\' ~[\r\n])* '\'' ;

SPACE : [ \t\r\n\f]+ -> channel(HIDDEN) ;
LINE_COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
BLOCK_COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;

// Never part of a program; reported one by one before parsing.
DIRECTIVE : '#' ~[\r\n]* -> channel(2) ;
OPEN_COMMENT : '/*' -> channel(2) ;
BAD_CHARACTER : . -> channel(2) ;
